#!/usr/bin/env python3
"""Writes src/adapters/kube/wire/api_fields.cc: the fields of the API's types with their numbers on the wire.

The facts come from the struct tags of k8s.io/api and k8s.io/apimachinery in Go's module cache. Run it when the version of
Kubernetes changes. Usage: make_api_fields.py VERSION, such as v0.36.4
"""

import re
import subprocess
import sys
from pathlib import Path

ROOTS = {
    "core": ["Namespace", "Node", "Pod", "ConfigMap", "Secret", "Service", "ServiceAccount", "Endpoints", "Event", "Binding",
             "PersistentVolume", "PersistentVolumeClaim"],
    "apps": ["Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "ControllerRevision"],
    "batch": ["Job"],
    "policy": ["PodDisruptionBudget", "Eviction"],
    "rbac": ["Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding"],
    "scheduling": ["PriorityClass"],
    "storage": ["StorageClass", "CSINode", "CSIDriver", "CSIStorageCapacity", "VolumeAttachment"],
    "coordination": ["Lease"],
    "authorization": ["SelfSubjectAccessReview"],
    "authentication": ["SelfSubjectReview"],
    "admissionregistration": ["MutatingWebhookConfiguration"],
    "events": ["Event"],
    "autoscaling": ["Scale"],
    "meta": ["DeleteOptions", "Status"],
}
GROUPS = {"rbac": "rbac.authorization.k8s.io", "scheduling": "scheduling.k8s.io", "storage": "storage.k8s.io",
          "coordination": "coordination.k8s.io", "authorization": "authorization.k8s.io",
          "authentication": "authentication.k8s.io", "admissionregistration": "admissionregistration.k8s.io",
          "events": "events.k8s.io"}
IMPORTS = {"v1": "core", "apiv1": "core", "corev1": "core", "metav1": "meta", "authenticationv1": "authentication"}
SPECIAL = {"meta.Time": "T", "meta.MicroTime": "U", "resource.Quantity": "Q", "intstr.IntOrString": "I",
           "runtime.RawExtension": "R", "meta.Duration": "D", "meta.FieldsV1": "R", "types.UID": "s"}
BASIC = {"string": "s", "bool": "b", "int32": "i", "int64": "i", "int": "i", "uint32": "i", "float64": "f", "[]byte": "y",
         "types.NamespacedName": "s"}
FIELD = re.compile(r'^\s+(?:(\w+)\s+)?([\w.*\[\]]+)\s+`json:"([^"]*)"(?:[^`]*?protobuf:"([^"]*)")?')
HEADER = '''// Made by tools/make_api_fields.py from the struct tags of Kubernetes {version}; not edited by hand.
#include "adapters/kube/wire/api_fields.h"

namespace gs::kube {{

// One type per line: its name, then number, name and type of each field. See api_fields.h.
const char* const kApiFields =
'''


def module(name: str, version: str) -> Path:
    cache = subprocess.run(["go", "env", "GOMODCACHE"], capture_output=True, text=True, check=True).stdout.strip()
    return Path(cache) / "k8s.io" / f"{name}@{version}"


def read_types(version: str) -> dict:
    """Struct name to its fields, and the underlying types of the other names."""
    api = module("api", version)
    files = {name: api / name / "v1" / "types.go" for name in ROOTS if name != "meta"}
    files["meta"] = module("apimachinery", version) / "pkg/apis/meta/v1/types.go"
    structs, others = {}, {}
    for package, path in files.items():
        current = None
        for line in path.read_text().split("\n"):
            if m := re.match(r"^type (\w+) struct \{", line):
                current = structs.setdefault(f"{package}.{m[1]}", [])
            elif m := re.match(r"^type (\w+) ([\w.\[\]]+)", line):
                others[f"{package}.{m[1]}"] = (package, m[2])
            elif line.startswith("}"):
                current = None
            elif current is not None and (m := FIELD.match(line)):
                current.append((package, *m.groups()))
    return structs, others


def resolve(package: str, name: str) -> str:
    if "." in name:
        alias, rest = name.split(".", 1)
        return f"{IMPORTS.get(alias, alias)}.{rest}"
    return f"{package}.{name}"


class Writer:
    def __init__(self, structs: dict, others: dict):
        self.structs, self.others, self.lines, self.queue = structs, others, {}, []

    def type_of(self, package: str, name: str) -> str:
        """The type of a field as the table writes it."""
        if name in BASIC:
            return BASIC[name]
        if name.startswith("*"):
            return "*" + self.type_of(package, name[1:])
        if name.startswith("[]"):
            return "[]" + self.type_of(package, name[2:])
        if m := re.match(r"map\[[\w.]+\](.*)", name):
            return "{}" + self.type_of(package, m[1])
        full = resolve(package, name)
        if full in SPECIAL:
            return SPECIAL[full]
        if full in self.structs:
            self.queue.append(full)
            return full
        if full in self.others:
            return self.type_of(*self.others[full])
        if full == "meta.Verbs":
            return "[]s"
        raise SystemExit(f"no type {full}")

    def write(self, name: str) -> None:
        if name in self.lines:
            return
        fields = []
        for package, _, go_type, tags, wire in self.structs[name]:
            if not wire:
                continue  # TypeMeta
            number = wire.split(",")[1]
            json_name, *options = tags.split(",")
            kind = self.type_of(package, go_type)
            mark = "" if json_name else "~"
            if kind in ("s", "i", "b") and not options:
                mark = "+"
            fields.append(f"{number} {mark}{json_name or 'inline'} {kind}")
        self.lines[name] = ";".join(fields)
        while self.queue:
            self.write(self.queue.pop())


def main() -> None:
    version = sys.argv[1]
    writer = Writer(*read_types(version))
    kinds = []
    for package, names in ROOTS.items():
        group = {"core": "", "meta": "*"}.get(package, GROUPS.get(package, package))
        for name in names:
            writer.write(f"{package}.{name}")
            api_version = "v1" if group in ("", "*") else f"{group}/v1"
            kinds.append(f"= {api_version} {name} {package}.{name}")
    lines = kinds + [f"{name}:{fields}" for name, fields in sorted(writer.lines.items())]
    text = HEADER.format(version=version)
    for line in lines:
        pieces = [line[i:i + 84] for i in range(0, len(line), 84)]
        for i, piece in enumerate(pieces):
            text += f'    "{piece}' + ('\\n"\n' if i == len(pieces) - 1 else '"\n')
    text = text.rstrip("\n") + ";\n\n}  // namespace gs::kube\n"
    out = Path(__file__).resolve().parent.parent / "src/adapters/kube/wire/api_fields.cc"
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(text)


if __name__ == "__main__":
    main()
