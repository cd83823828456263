"""Releases on a real node are changed, or race, while pods keep coming: each pod gets its GPUs, and no GPU has two."""

import json

from on_node import OnNode
from pod_stream import Stream, worker
from real_cluster import IMAGE, wait_until

CHANGES = ("log.level=debug,webhook.enabled=false", "webhook.enabled=true", "webhook.placement=sidecar",
           "webhook.placement=deployment")


class UnderPods(OnNode):
    def start_stream(self, namespace: str, count: int, **options) -> Stream:
        self.addCleanup(self.cluster.remove, namespace)
        self.kubectl("create", "namespace", namespace)
        self.kubectl("create", "-n", namespace, "-f", "-", stdin=json.dumps(
            {"apiVersion": "gpu.scheduling/v1", "kind": "GpuClaim", "metadata": {"name": "some"},
             "spec": {"devices": {"count": count}}}))
        account = ("-n", namespace, "get", "serviceaccount", "default")
        assert wait_until(lambda: self.kubectl(*account, check=False).returncode == 0)
        stream = Stream(self.cluster.plane, namespace, image=IMAGE, **options)
        self.addCleanup(stream.end)
        return stream

    def expect_more(self, *streams: Stream, number: int, why: str) -> None:
        wanted = {stream: stream.count + number for stream in streams}
        done = wait_until(lambda: all(stream.count > count or stream.problem for stream, count in wanted.items()), 300)
        self.assertTrue(done, f"{why}: {[(stream.count, stream.phases()) for stream in streams]}")

    def expect_all_well(self, *streams: Stream) -> None:
        for stream in streams:
            stream.end()
        for stream in streams:
            self.assertEqual((stream.problem, stream.doubles), ("", []))
            self.assertTrue(wait_until(lambda: stream.phases() == {"Succeeded": stream.count}, 300), stream.phases())


class Upgrades(UnderPods):
    def test_lose_no_pod_and_double_no_gpu(self):
        self.install("upgraded")
        stream = self.start_stream("team", 3)
        for change in CHANGES:
            self.type(f"helm upgrade gpu-scheduler charts/gpu-scheduler -n upgraded --reuse-values --set {change}")
            self.wait_for_rollouts("upgraded")
            self.expect_more(stream, number=2, why=change)
        self.expect_all_well(stream)


class TwoReleases(UnderPods):
    def test_race_for_the_same_gpus_without_a_double_and_leave_each_others_pods_alone(self):
        self.install("first")
        self.install("second", "--set scheduler.name=other --set agent.enabled=false")
        streams = [self.start_stream("ours", 3, at_once=3),
                   self.start_stream("theirs", 3, at_once=3, scheduler="other")]
        self.expect_more(*streams, number=6, why="two releases")
        self.expect_all_well(*streams)

        self.kubectl("-n", "second", "scale", "deploy/gpu-scheduler", "--replicas=0")
        self.kubectl("-n", "second", "wait", "--for=delete", "pod", "-l", "app=gpu-scheduler", "--timeout=120s")
        for namespace, scheduler in (("theirs", "other"), ("ours", "gpu-scheduler")):
            self.kubectl("create", "-n", namespace, "-f", "-", stdin=json.dumps(worker("last", scheduler, IMAGE)))
        self.kubectl("-n", "ours", "wait", "--for=jsonpath={.status.phase}=Succeeded", "pod/last", "--timeout=120s")
        left = self.cluster.plane.json("get", "pod", "last", "-n", "theirs")
        self.assertNotIn("nodeName", left["spec"])
        self.assertNotIn("conditions", left["status"])
