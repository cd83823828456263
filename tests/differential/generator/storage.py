"""Volumes: claims in every state, volumes that nodes can reach or not, classes, and what drivers can attach.

Sizes are all different: with equal ones kube-scheduler's choice of a volume, and so its answer, depends on chance.
"""

import itertools

from generator.draw import Draw
from generator.selectors import expression
from generator.words import DRIVER, HOSTNAME, REGION, ZONE, ZONES

POOLS = "pools.example.com"  # a driver that tells how much room it has
WAIT, AT_ONCE = "WaitForFirstConsumer", "Immediate"
GIB = 1 << 30
VOLUME_LABELS = {"speed": ["fast", "slow"], "site": ["east", "west"]}
ZONE_LABELS = [ZONE, "failure-domain.beta.kubernetes.io/zone"]


def metadata(name: str) -> dict:
    return {"name": name, "uid": f"uid-{name}", "resourceVersion": "1"}


def storage_class(name: str, provisioner: str, mode: str, **more) -> dict:
    return {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": metadata(name),
            "provisioner": provisioner, "volumeBindingMode": mode, "reclaimPolicy": "Delete", **more}


def classes(draw: Draw) -> list[dict]:
    topologies = [{"matchLabelExpressions": [{"key": ZONE, "values": draw.some(ZONES, 1, 2)}]}
                  for _ in range(draw.randint(1, 2))]
    return [storage_class("wait", DRIVER, WAIT), storage_class("now", DRIVER, AT_ONCE),
            storage_class("zoned", DRIVER, WAIT, allowedTopologies=topologies), storage_class("pool", POOLS, WAIT),
            storage_class("static", "kubernetes.io/no-provisioner", WAIT)]


class Storage:
    """What there is of storage in one case. Claims are made when pods ask for them."""

    def __init__(self, draw: Draw, nodes: list[str]):
        self.draw = draw
        self.nodes = nodes
        self.sizes = itertools.count(GIB, 1 << 20)
        self.claims: list[dict] = []
        self.volumes: list[dict] = []
        for _ in range(draw.choice([0, 1, 3, 6])):
            self.add_free_volume()

    def objects(self) -> dict:
        drivers = [{"apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver", "metadata": metadata(POOLS),
                    "spec": {"storageCapacity": self.draw.chance(0.8)}}]
        return {"persistentVolumeClaims": self.claims, "persistentVolumes": self.volumes,
                "storageClasses": classes(self.draw),
                "csiNodes": [self.csi_node(name) for name in self.nodes if self.draw.chance(0.85)],
                "csiDrivers": drivers,
                "csiStorageCapacities": [self.capacity(i) for i in range(self.draw.randint(0, 3))]}

    def csi_node(self, name: str) -> dict:
        drivers = [{"name": driver, "nodeID": name}
                   | self.draw.maybe(0.8, allocatable={"count": self.draw.choice([0, 1, 1, 2, 2, 3])})
                   for driver in self.draw.some([DRIVER, POOLS], 0, 2)]
        return {"apiVersion": "storage.k8s.io/v1", "kind": "CSINode", "metadata": metadata(name),
                "spec": {"drivers": drivers}}

    def capacity(self, number: int) -> dict:
        draw = self.draw
        made = {"apiVersion": "storage.k8s.io/v1", "kind": "CSIStorageCapacity",
                "metadata": metadata(f"capacity-{number}") | {"namespace": "default"},
                "storageClassName": draw.choice(["pool", "pool", "wait"])}
        if draw.chance(0.9):
            made["nodeTopology"] = {"matchLabels": {ZONE: draw.choice(ZONES)}} if draw.chance(0.8) else {}
        return (made | draw.maybe(0.8, capacity=draw.choice(["0", "100Mi", "100Gi"]))
                | draw.maybe(0.3, maximumVolumeSize=draw.choice(["100Mi", "100Gi"])))

    def node_affinity(self) -> dict:
        """Of a volume: everywhere, on one node, or in some zones."""
        draw = self.draw
        if draw.chance(0.4):
            return {}
        if draw.chance(0.4):
            wanted = {"key": HOSTNAME, "operator": "In", "values": draw.some(self.nodes, 1, 2)}
        else:
            wanted = {"key": draw.choice([ZONE, ZONE, REGION]), "operator": draw.choice(["In", "In", "NotIn"]),
                      "values": draw.some([*ZONES, "north"], 1, 3)}
        return {"nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [wanted]}]}}}

    def labels(self) -> dict:
        draw = self.draw
        made = {key: draw.choice(values) for key, values in VOLUME_LABELS.items() if draw.chance(0.5)}
        if draw.chance(0.2):
            made[draw.choice(ZONE_LABELS)] = "__".join(draw.some(ZONES, 1, 2))
        return made

    def add_volume(self, class_name: str, phase: str, **spec) -> dict:
        name = f"volume-{len(self.volumes)}"
        made = {"apiVersion": "v1", "kind": "PersistentVolume",
                "metadata": {"name": name, "uid": self.draw.uid(name), "resourceVersion": "1", "labels": self.labels()},
                "spec": {"capacity": {"storage": str(next(self.sizes))}, "storageClassName": class_name,
                         "accessModes": ["ReadWriteOnce"], "volumeMode": "Filesystem",
                         "csi": {"driver": DRIVER, "volumeHandle": f"handle-{name}"}} | self.node_affinity() | spec,
                "status": {"phase": phase}}
        self.volumes.append(made)
        return made

    def add_free_volume(self) -> None:
        draw = self.draw
        modes = draw.choice([["ReadWriteOnce"], ["ReadWriteOnce", "ReadOnlyMany"], ["ReadWriteMany"]])
        made = self.add_volume(draw.choice(["static", "static", "wait"]),
                               draw.choice(["Available"] * 5 + ["Released", "Pending"]), accessModes=modes,
                               volumeMode="Block" if draw.chance(0.15) else "Filesystem",
                               **draw.maybe(0.6, local={"path": "/data"}))
        if "local" in made["spec"]:
            del made["spec"]["csi"]
        if draw.chance(0.08):
            made["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"

    def add_claim(self, namespace: str, name: str, class_name: str, **spec) -> dict:
        made = {"apiVersion": "v1", "kind": "PersistentVolumeClaim",
                "metadata": {"name": name, "namespace": namespace, "uid": self.draw.uid(f"{namespace}-{name}"),
                             "resourceVersion": "1"},
                "spec": {"accessModes": ["ReadWriteOnce"], "volumeMode": "Filesystem", "storageClassName": class_name,
                         "resources": {"requests": {"storage": str(next(self.sizes) - GIB // 2)}}} | spec,
                "status": {"phase": "Pending"}}
        self.claims.append(made)
        return made

    def add_bound_claim(self, namespace: str, name: str) -> dict:
        draw = self.draw
        modes = ["ReadWriteOncePod"] if draw.chance(0.25) else ["ReadWriteOnce"]
        claim = self.add_claim(namespace, name, draw.choice(["wait", "now", "static"]), accessModes=modes)
        volume = self.add_volume(claim["spec"]["storageClassName"], "Bound", accessModes=modes, claimRef={
            "namespace": namespace, "name": name, "uid": claim["metadata"]["uid"]})
        claim["spec"]["volumeName"] = volume["metadata"]["name"]
        claim["metadata"]["annotations"] = {"pv.kubernetes.io/bind-completed": "yes"}
        claim["status"]["phase"] = "Bound"
        return claim

    def spoil(self, claim: dict) -> None:
        """Something that can be wrong with a claim."""
        kind = self.draw.choice(["lost", "deleted", "no volume", "prebound"])
        if kind == "lost":
            claim["status"]["phase"] = "Lost"
        elif kind == "deleted":
            claim["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
        elif kind == "no volume":
            claim["spec"]["volumeName"] = "volume-gone"
        else:
            claim["metadata"].pop("annotations", None)

    def add_unbound_claim(self, namespace: str, name: str) -> dict:
        draw = self.draw
        class_name = draw.choice(["wait", "zoned", "pool", "static", "static", "now"] if draw.chance(0.3) else
                                 ["wait", "zoned", "pool", "static"])
        claim = self.add_claim(namespace, name, class_name, **draw.maybe(0.1, volumeMode="Block"))
        if draw.chance(0.2):
            claim["spec"]["selector"] = {"matchExpressions": [expression(draw, VOLUME_LABELS)]}
        if class_name != "static" and draw.chance(0.15):
            claim["metadata"]["annotations"] = {"volume.kubernetes.io/selected-node": draw.choice(self.nodes)}
        if self.volumes and class_name == "static" and draw.chance(0.2):
            self.keep_volume_for(claim)
        return claim

    def keep_volume_for(self, claim: dict) -> None:
        volume = self.draw.choice(self.volumes)
        if "claimRef" not in volume["spec"]:
            meta = claim["metadata"]
            uids = {"uid": self.draw.choice([meta["uid"], "another"])} if self.draw.chance(0.5) else {}
            volume["spec"]["claimRef"] = {"namespace": meta["namespace"], "name": meta["name"]} | uids

    def claim_for(self, namespace: str) -> str:
        """The name of one that is there already, or of a new one; seldom of none."""
        draw = self.draw
        known = [each["metadata"]["name"] for each in self.claims if each["metadata"]["namespace"] == namespace]
        if known and draw.chance(0.3):
            return draw.choice(known)
        name = f"claim-{len(self.claims)}"
        if draw.chance(0.03):
            return name
        claim = (self.add_bound_claim if draw.chance(0.6) else self.add_unbound_claim)(namespace, name)
        if draw.chance(0.06):
            self.spoil(claim)
        return name

    def volumes_of(self, pod: dict) -> list[dict]:
        draw = self.draw
        meta = pod["metadata"]
        claims = {self.claim_for(meta["namespace"]): None for _ in range(draw.randint(1, 3))}  # each once, in order
        made = [{"name": f"v{i}", "persistentVolumeClaim": {"claimName": claim}} for i, claim in enumerate(claims)]
        if draw.chance(0.1):
            made.append(self.own_volume(pod))
        return made

    def own_volume(self, pod: dict) -> dict:
        """Made for the pod; its claim may not be there yet, or be somebody else's."""
        draw, meta = self.draw, pod["metadata"]
        spec = {"accessModes": ["ReadWriteOnce"], "storageClassName": "wait",
                "resources": {"requests": {"storage": "1Gi"}}}
        if draw.chance(0.8):
            claim = self.add_claim(meta["namespace"], f"{meta['name']}-own", "wait")
            owner = {"apiVersion": "v1", "kind": "Pod", "name": meta["name"], "uid": meta["uid"], "controller": True}
            # A pod could not have started with somebody else's.
            if draw.chance(0.8) or "nodeName" in pod["spec"]:
                claim["metadata"]["ownerReferences"] = [owner]
        return {"name": "own", "ephemeral": {"volumeClaimTemplate": {"spec": spec}}}


def disk(draw: Draw) -> dict:
    """One that a pod names itself, of the kinds that few may share."""
    read_only = draw.chance(0.4)
    name = "d1" if draw.chance(0.8) else "d2"
    return draw.choice([
        {"name": "disk", "gcePersistentDisk": {"pdName": name, "readOnly": read_only}},
        {"name": "disk", "awsElasticBlockStore": {"volumeID": name, "readOnly": read_only}},
        {"name": "disk", "rbd": {"monitors": ["m1"], "pool": "p", "image": name, "readOnly": read_only}},
        {"name": "disk", "iscsi": {"targetPortal": "10.0.0.9:3260", "iqn": f"iqn.2026-01.example:{name}", "lun": 0,
                                   "readOnly": read_only}}])
