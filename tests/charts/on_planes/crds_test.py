"""GpuClaim and GpuNodeStatus on a real API server: what users see, what is filled in, and what is refused."""

import json
import unittest

import paths
from support import PlaneUnderTest, wait_for_kinds, wait_until

STATUS_OF_CLAIM = "/apis/gpu.scheduling/v1/namespaces/default/gpuclaims/{}/status"


def setUpModule():
    global plane
    plane = PlaneUnderTest("crds")
    unittest.addModuleCleanup(plane.close)
    plane.up()
    plane.kubectl("apply", "-f", str(paths.CRDS))
    wait_for_kinds(plane.kubectl, "gclaim", "gns")
    # Examples have pods, and pods need an account.
    assert wait_until(lambda: plane.kubectl("get", "serviceaccount", "default", check=False).returncode == 0)


def claim(name: str, spec: dict) -> dict:
    return {"apiVersion": "gpu.scheduling/v1", "kind": "GpuClaim", "metadata": {"name": name}, "spec": spec}


def node_status(name: str, **spec) -> dict:
    return {"apiVersion": "gpu.scheduling/v1", "kind": "GpuNodeStatus", "metadata": {"name": name}, "spec": spec}


def create(thing: dict):
    return plane.kubectl("create", "--validate=strict", "-f", "-", stdin=json.dumps(thing), check=False)


def set_status(kind: str, name: str, status: dict):
    return plane.kubectl("patch", kind, name, "--subresource=status", "--type=merge", "--patch-file=/dev/stdin",
                         stdin=json.dumps({"status": status}), check=False)


class Case(unittest.TestCase):
    def accept(self, done) -> None:
        self.assertEqual(done.returncode, 0, done.stderr)

    def refuse(self, done, *messages: str) -> None:
        self.assertNotEqual(done.returncode, 0, done.stdout)
        for message in messages:
            self.assertIn(message, done.stderr)

    def make_claim(self, name: str, spec: dict) -> dict:
        self.accept(create(claim(name, spec)))
        self.addCleanup(plane.kubectl, "delete", "gclaim", name)
        return plane.json("get", "gclaim", name)

    def make_node_status(self, name: str) -> None:
        self.accept(create(node_status(name, nodeName=name)))
        self.addCleanup(plane.kubectl, "delete", "gns", name)


def table(*words: str) -> list[list[str]]:
    """What kubectl prints, cut where the headings begin, so that empty cells count."""
    lines = plane.kubectl(*words).stdout.splitlines()
    starts = [at for at, letter in enumerate(lines[0]) if letter != " " and (at == 0 or lines[0][at - 1] == " ")]
    return [[line[at:end].strip() for at, end in zip(starts, [*starts[1:], None])] for line in lines]


class Installing(Case):
    def test_the_link_in_templates_applies_as_well(self):
        link = paths.CHART / "templates" / "crds.yaml"
        self.assertTrue(link.is_symlink())
        self.assertFalse(link.readlink().is_absolute())
        done = plane.kubectl("apply", "-f", str(link))
        self.assertEqual(done.stdout.count("unchanged"), 2, done.stdout)

    def test_the_api_server_has_no_complaint(self):
        for name in ("gpuclaims.gpu.scheduling", "gpunodestatuses.gpu.scheduling"):
            crd = plane.json("get", "crd", name)
            conditions = {each["type"]: each["status"] for each in crd["status"]["conditions"]}
            self.assertEqual(conditions, {"NamesAccepted": "True", "Established": "True"})
            self.assertEqual(crd["spec"]["versions"][0]["subresources"], {"status": {}})

    def test_short_and_long_names_mean_the_same(self):
        for names in (("gclaim", "gpuclaim", "gpuclaims"), ("gns", "gpunodestatus", "gpunodestatuses")):
            for name in names:
                self.accept(plane.kubectl("get", name, check=False))

    def test_explain_describes_every_field(self):
        def undescribed(schema: dict, path: str) -> list[str]:
            found = [] if "description" in schema or path.endswith(".metadata") else [path]
            for name, field in schema.get("properties", {}).items():
                found += undescribed(field, f"{path}.{name}")
            items = schema.get("items", {})
            for name, field in items.get("properties", {}).items():
                found += undescribed(field, f"{path}[].{name}")
            return found

        for name in ("gpuclaims.gpu.scheduling", "gpunodestatuses.gpu.scheduling"):
            schema = plane.json("get", "crd", name)["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
            self.assertEqual(undescribed(schema, name), [])
        self.assertIn("order of preference", plane.kubectl("explain", "gclaim.spec.devices.preferIds").stdout)
        self.assertIn("Unhealthy", plane.kubectl("explain", "gns.status.devices.health").stdout)


class Columns(Case):
    def test_claims_show_request_and_allocation(self):
        self.make_claim("single", {"devices": {"count": 1, "exclusivity": "Exclusive"}})
        self.make_claim("multi", {"devices": {"count": 4, "policy": "contiguous"}, "topology": {"mode": "Preferred"}})
        self.accept(set_status("gclaim", "multi", {"phase": "Allocated", "allocated": "node-b:0,1,2,3"}))
        self.assertEqual(table("get", "gclaim"), [
            ["NAME", "REQ", "POLICY", "TOPOLOGY", "ALLOCATED"],
            ["multi", "4", "contiguous", "Preferred", "node-b:0,1,2,3"],
            ["single", "1", "contiguous", "", ""]])

    def test_wide_claims_show_the_rest(self):
        self.make_claim("wide", {"devices": {"exclusivity": "Shared"}})
        self.accept(set_status("gclaim", "wide", {"phase": "Pending"}))
        heading, row = table("get", "gclaim", "wide", "-o", "wide")
        self.assertEqual(heading[5:], ["EXCLUSIVITY", "PHASE", "AGE"])
        self.assertEqual(row[5:7], ["Shared", "Pending"])

    def test_nodes_show_their_devices(self):
        self.make_node_status("node-a")
        self.accept(set_status("gns", "node-a", {"total": 4}))
        self.assertEqual(table("get", "gns"), [["NAME", "NODE", "DEVICES"], ["node-a", "node-a", "4"]])


class Claims(Case):
    def test_the_examples_are_accepted_as_written(self):
        files = sorted(paths.CLAIM_EXAMPLES.glob("*.yaml"))
        self.assertGreater(len(files), 5)
        for path in files:
            with self.subTest(path.name):
                self.accept(plane.kubectl("apply", "--validate=strict", "-f", str(path), check=False))
                plane.kubectl("delete", "--now", "-f", str(path))

    def test_what_is_left_out_gets_its_default(self):
        self.assertEqual(self.make_claim("defaults", {})["spec"],
                         {"devices": {"count": 1, "policy": "contiguous", "exclusivity": "Exclusive"}})

    def test_a_topology_block_without_a_mode_is_preferred(self):
        self.assertEqual(self.make_claim("mode", {"topology": {}})["spec"]["topology"], {"mode": "Preferred"})

    def test_a_claim_needs_a_spec(self):
        thing = claim("none", {})
        del thing["spec"]
        self.refuse(create(thing), "spec: Required value")

    def test_preferred_ids_need_their_policy(self):
        message = "preferIds is only read with policy preferIds; set policy: preferIds, or remove the ids"
        self.refuse(create(claim("ids", {"devices": {"preferIds": [0]}})), "spec.devices", message)
        self.refuse(create(claim("ids", {"devices": {"policy": "spread", "preferIds": [0]}})), message)
        self.make_claim("ids", {"devices": {"count": 2, "policy": "preferIds", "preferIds": [3, 0]}})
        self.make_claim("no-ids", {"devices": {"preferIds": []}})

    def test_the_rules_hold_for_a_change_too(self):
        self.make_claim("changed", {"devices": {"policy": "preferIds", "preferIds": [1]}})
        done = plane.kubectl("patch", "gclaim", "changed", "--type=merge", "-p",
                             '{"spec":{"devices":{"policy":"contiguous"}}}', check=False)
        self.refuse(done, "preferIds is only read with policy preferIds")

    def test_an_id_is_named_once(self):
        self.refuse(create(claim("twice", {"devices": {"policy": "preferIds", "preferIds": [1, 2, 1]}})),
                    "spec.devices.preferIds", "an id is given twice; name each GPU once")
        self.make_claim("many", {"devices": {"policy": "preferIds", "preferIds": list(range(64))}})

    def test_ids_are_ids(self):
        self.refuse(create(claim("ids", {"devices": {"policy": "preferIds", "preferIds": [-1, 65536]}})),
                    "preferIds[0]", "greater than or equal to 0", "preferIds[1]", "less than or equal to 65535")

    def test_a_claim_asks_for_at_least_one_gpu(self):
        self.refuse(create(claim("zero", {"devices": {"count": 0}})),
                    "spec.devices.count", "greater than or equal to 1")
        self.make_claim("more-than-any-node-has", {"devices": {"count": 100000}})

    def test_bandwidth_needs_a_mode_that_looks_at_links(self):
        self.refuse(create(claim("ignored", {"topology": {"mode": "Ignore", "minBandwidthGBps": 600}})),
                    "minBandwidthGBps has no meaning with mode Ignore; use mode Required or Preferred")
        self.refuse(create(claim("negative", {"topology": {"minBandwidthGBps": -1}})), "greater than or equal to 0")
        self.make_claim("required", {"topology": {"mode": "Required", "minBandwidthGBps": 600}})
        self.make_claim("preferred", {"topology": {"mode": "Preferred", "minBandwidthGBps": 600}})
        self.make_claim("nothing-asked", {"topology": {"mode": "Ignore", "minBandwidthGBps": 0}})

    def test_unknown_words_are_refused_with_those_there_are(self):
        for spec, words in (({"devices": {"policy": "packed"}}, '"contiguous", "spread", "preferIds"'),
                            ({"devices": {"exclusivity": "MIG"}}, '"Exclusive", "Shared"'),
                            ({"topology": {"mode": "required"}}, '"Required", "Preferred", "Ignore"')):
            self.refuse(create(claim("words", spec)), "Unsupported value", words)

    def test_unknown_fields_are_refused(self):
        self.refuse(create(claim("typo", {"devices": {"cuont": 2}})), 'unknown field "spec.devices.cuont"')
        self.refuse(create(claim("gang", {"gangRef": {"name": "g"}})), 'unknown field "spec.gangRef"')

    def test_labels_are_labels(self):
        self.make_claim("labels", {"selector": {"matchLabels": {"gpu-type": "a100", "empty": ""}}})
        self.refuse(create(claim("bad", {"selector": {"matchLabels": {"a": "no blanks"}}})), "matchLabels.a")


class Statuses(Case):
    def test_a_claim_is_born_without_a_status_and_keeps_its_spec_when_it_gets_one(self):
        self.accept(create(claim("split", {"devices": {"count": 2}}) | {"status": {"phase": "Allocated"}}))
        self.addCleanup(plane.kubectl, "delete", "gclaim", "split")
        made = plane.json("get", "gclaim", "split")
        self.assertNotIn("status", made)
        made["spec"]["devices"]["count"] = 5
        made["status"] = {"phase": "Pending", "message": "no pod yet"}
        with plane.client() as client:
            code, answer = client.request("PUT", STATUS_OF_CLAIM.format("split"), made)
        self.assertEqual(code, 200, answer)
        self.assertEqual(answer["spec"]["devices"]["count"], 2)
        self.assertEqual(answer["status"]["message"], "no pod yet")
        self.assertEqual(answer["metadata"]["generation"], made["metadata"]["generation"])

    def test_a_full_claim_status_comes_back_as_written(self):
        allocation = {"pod": "train-0", "podUID": "u-0", "node": "node-b", "gpuIds": [2, 0],
                      "uuids": ["GPU-b", "GPU-a"], "enforced": False, "since": "2026-01-02T03:04:05Z"}
        condition = {"type": "Ready", "status": "True", "reason": "Fine", "message": "",
                     "lastTransitionTime": "2026-01-02T03:04:05Z"}
        status = {"phase": "Allocated", "allocations": [allocation], "allocatedCount": 1, "allocated": "node-b:2,0",
                  "nodeName": "node-b", "gpuIds": [2, 0], "message": "all well", "conditions": [condition]}
        self.make_claim("full", {})
        self.accept(set_status("gclaim", "full", status))
        self.assertEqual(plane.json("get", "gclaim", "full")["status"], status)

    def test_at_most_a_hundred_allocations(self):
        self.make_claim("many", {})
        allocations = [{"pod": "p", "podUID": f"u-{n}", "node": "n", "gpuIds": [0]} for n in range(101)]
        self.accept(set_status("gclaim", "many", {"allocations": allocations[:100]}))
        self.refuse(set_status("gclaim", "many", {"allocations": allocations}), "must have at most 100 items")

    def test_a_full_node_status_comes_back_as_written(self):
        link = {"peer": 1, "type": "NVLink", "count": 4, "pcie": "PIX", "bandwidthGBps": 112}
        device = {"id": 0, "uuid": "GPU-a", "model": "NVIDIA A40", "memoryMiB": 49152, "pciBusId": "00000000:07:00.0",
                  "numaNode": -1, "island": "0", "bandwidthGBps": 112, "health": "Unhealthy", "healthReason": "Xid 79",
                  "inUseBy": ["team/train-0"], "residue": ["u-1"], "links": [link]}
        status = {"total": 2, "driverVersion": "550.54.15", "observedAt": "2026-01-02T03:04:05Z",
                  "devices": [device, {"id": 1, "health": "Healthy"}]}
        self.make_node_status("node-f")
        self.accept(set_status("gns", "node-f", status))
        self.assertEqual(plane.json("get", "gns", "node-f")["status"], status)

    def test_machine_files_fit_into_a_node_status(self):
        for path in sorted(paths.MACHINE_EXAMPLES.glob("*.yaml")):
            with self.subTest(path.name):
                # kubectl turns YAML into JSON for us: a patch may be either.
                indented = "".join(f"  {line}" for line in path.read_text(encoding="utf-8").splitlines(keepends=True))
                self.make_node_status(path.stem)
                self.accept(plane.kubectl("patch", "gns", path.stem, "--subresource=status", "--type=merge", "-p",
                                          f"status:\n{indented}", check=False))
                self.assertTrue(plane.json("get", "gns", path.stem)["status"]["devices"])

    def test_the_largest_machine_is_not_too_much_for_the_rules(self):
        self.make_node_status("node-l")
        devices = [{"id": a, "uuid": f"GPU-{a}", "links": [{"peer": b, "type": "NVSwitch", "count": 18}
                                                           for b in range(64) if b != a]} for a in range(64)]
        self.accept(set_status("gns", "node-l", {"devices": devices}))
        self.refuse(set_status("gns", "node-l", {"devices": [*devices, {"id": 64}]}), "must have at most 64 items")

    def test_what_no_machine_can_be_is_refused(self):
        self.make_node_status("node-r")
        for devices, message in (
                ([{"id": 0}, {"id": 0}], "two devices have the same id"),
                ([{"uuid": "GPU-a"}], "id: Required value"),
                ([{"id": 0, "uuid": "GPU-a"}, {"id": 1, "uuid": "GPU-a"}], "two devices have the same uuid"),
                ([{"id": 0, "links": [{"peer": 0}]}], "a GPU has no link to itself"),
                ([{"id": 0, "links": [{"peer": 1, "count": 2}]}, {"id": 1}], "and not given with PCIe"),
                ([{"id": 0, "links": [{"peer": 1, "type": "xGMI", "count": 0}]}, {"id": 1}], "at least 1 with"),
                ([{"id": 0, "links": [{"peer": 1}, {"peer": 1}]}, {"id": 1}], "Duplicate value"),
                ([{"id": 0, "health": "Poorly"}], '"Healthy", "Unhealthy"')):
            with self.subTest(message):
                self.refuse(set_status("gns", "node-r", {"devices": devices}), message)


class Deleting(Case):
    def test_a_claim_goes_at_once(self):
        self.accept(create(claim("gone", {})))
        self.assertNotIn("finalizers", plane.json("get", "gclaim", "gone")["metadata"])
        plane.kubectl("delete", "gclaim", "gone", "--timeout=120s")
        self.refuse(plane.kubectl("get", "gclaim", "gone", check=False), "NotFound")
