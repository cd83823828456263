"""Schemas for kubeconform, made from what an API server says about itself, so that nothing has to be downloaded."""

import json
from pathlib import Path

# How the swagger text calls what JSON schemas have other words for.
EXCEPTIONS = {"int-or-string": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
              "io.k8s.apimachinery.pkg.api.resource.Quantity": {"type": ["string", "number"]}}


def strict(schema):
    """The same schema, refusing fields it does not name."""
    if isinstance(schema, list):
        return [strict(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if schema.get("format") == "int-or-string":
        return EXCEPTIONS["int-or-string"]
    made = {name: strict(value) for name, value in schema.items()}
    if isinstance(made.get("properties"), dict) and "additionalProperties" not in made:
        made["additionalProperties"] = False
    return made


def write(openapi: dict, folder: Path) -> str:
    """Writes a file per kind, and returns the --schema-location that finds them."""
    definitions = {name: EXCEPTIONS.get(name) or strict(schema) for name, schema in openapi["definitions"].items()}
    for name, schema in openapi["definitions"].items():
        for kind in schema.get("x-kubernetes-group-version-kind", []):
            group = kind["group"] or kind["version"]  # kubeconform takes the v1 of core kinds for a group
            path = folder / f"{group}-{kind['version']}-{kind['kind']}.json".lower()
            path.write_text(json.dumps({"$ref": f"all.json#/definitions/{name}"}), encoding="utf-8")
    (folder / "all.json").write_text(json.dumps({"definitions": definitions}), encoding="utf-8")
    return str(folder / "{{.Group}}-{{.ResourceAPIVersion}}-{{.ResourceKind}}.json")
