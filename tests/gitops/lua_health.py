"""Runs a health check of argocd-health.yaml in a Lua interpreter, as Argo CD runs it: with the object as `obj`."""

import shutil
import subprocess

import places
from manifests import the_only

INTERPRETERS = ("lua5.4", "lua5.1", "lua")


def interpreter() -> str | None:
    return next((found for name in INTERPRETERS if (found := shutil.which(name))), None)


def literal(value) -> str:
    """A JSON value as Lua writes it. A null is an absent field, as for Argo CD."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, str):
        return '"' + "".join(f"\\{ord(c)}" if ord(c) < 32 or c in '"\\' else c for c in value) + '"'
    if isinstance(value, list):
        return "{" + ", ".join(literal(each) for each in value) + "}"
    fields = (f"[{literal(name)}] = {literal(each)}" for name, each in value.items() if each is not None)
    return "{" + ", ".join(fields) + "}"


def script_for(kind: str) -> str:
    return the_only(places.HEALTH)["data"][f"resource.customizations.health.{kind}"]


def health(kind: str, obj: dict) -> tuple[str, str]:
    """Status and message that Argo CD would show. `kind` is GROUP_KIND."""
    program = (f"local obj = {literal(obj)}\nlocal function check(obj)\n{script_for(kind)}\nend\n"
               "local found = check(obj)\nio.write(found.status, '\\n', found.message)")
    done = subprocess.run([interpreter(), "-"], input=program, text=True, capture_output=True, check=False)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    status, _, message = done.stdout.partition("\n")
    return status, message
