#!/usr/bin/env python3
"""Sets where Argo CD reads this project, or Kubeflow, from, in every manifest of argocd/ and kubeflow/ and in repository.yaml.

  set_repository.py [--project URL] [--revision REVISION] [--kubeflow URL]

A YAML parser finds what to change, and only those characters change, so comments and layout stay. Sources that are charts of
somebody else's Helm repository are left alone. Doing it twice changes nothing. People call update-repo-urls.sh, which calls this.
"""

import argparse
import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import yaml

HERE = Path(__file__).resolve().parent
REPOSITORY = "repository.yaml"
FOLDERS = ("argocd", "kubeflow")
# What git takes for a place: a URL, host:path, or a path.
LOOKS_LIKE_A_REPOSITORY = re.compile(r"^([a-z][a-z0-9+.-]*://\S+|[\w.-]+@[\w.-]+:\S+|/\S+)$")


@dataclass(frozen=True)
class Change:
    old_url: str
    new_url: str
    old_revision: str
    new_revision: str


def scalar(value: str, style: str | None) -> str:
    """As YAML, in the quotes that were there, or without where none are needed."""
    if style == '"':
        return json.dumps(value)
    is_plain = style is None and re.fullmatch(r"[\w./:@+~?=-]+", value) and yaml.safe_load(value) == value
    return value if is_plain else f"'{value.replace(chr(39), chr(39) * 2)}'"


def fields_of(node: yaml.MappingNode) -> dict[str, yaml.Node]:
    return {key.value: value for key, value in node.value if isinstance(key, yaml.ScalarNode)}


def edits_in_mapping(node: yaml.MappingNode, change: Change) -> list[tuple[yaml.Node, str]]:
    fields = fields_of(node)
    found = []
    url, revision = fields.get("repoURL"), fields.get("targetRevision")
    if url is not None and url.value == change.old_url and "chart" not in fields:
        found.append((url, change.new_url))
        if revision is not None and revision.value == change.old_revision:
            found.append((revision, change.new_revision))
    allowed = fields.get("sourceRepos")
    if isinstance(allowed, yaml.SequenceNode):
        found += [(item, change.new_url) for item in allowed.value if item.value == change.old_url]
    return found + edits_in_resources(fields.get("resources"), change)


def edits_in_resources(node: yaml.Node | None, change: Change) -> list[tuple[yaml.Node, str]]:
    """Of a kustomization that names folders of a repository: URL//FOLDER?ref=REVISION."""
    old, new = (url.removesuffix(".git") + "//" for url in (change.old_url, change.new_url))
    items = node.value if isinstance(node, yaml.SequenceNode) else []
    return [(item, new + item.value.removeprefix(old)) for item in items
            if isinstance(item, yaml.ScalarNode) and item.value.startswith(old)]


def edits_in(node: yaml.Node | None, change: Change) -> list[tuple[yaml.Node, str]]:
    """Every scalar of a document that the change is about, with what it becomes."""
    if isinstance(node, yaml.MappingNode):
        below = [edit for _, value in node.value for edit in edits_in(value, change)]
        return edits_in_mapping(node, change) + below
    if isinstance(node, yaml.SequenceNode):
        return [edit for item in node.value for edit in edits_in(item, change)]
    return []


def changed_text(text: str, change: Change) -> str:
    edits = [edit for document in yaml.compose_all(text, yaml.SafeLoader) for edit in edits_in(document, change)]
    for node, value in sorted(edits, key=lambda edit: edit[0].start_mark.index, reverse=True):
        if node.value != value:
            text = text[:node.start_mark.index] + scalar(value, node.style) + text[node.end_mark.index:]
    return text


def manifests(root: Path) -> list[Path]:
    """Files of YAML; templates of charts are none."""
    found = [path for folder in FOLDERS for path in sorted((root / folder).rglob("*.yaml")) if "templates" not in path.parts]
    return [*found, root / REPOSITORY]


def apply(root: Path, change: Change) -> list[Path]:
    """The files that are different now."""
    changed = []
    for path in manifests(root):
        before = path.read_text(encoding="utf-8")
        try:
            after = changed_text(before, change)
        except yaml.YAMLError as error:
            raise SystemExit(f"{path.relative_to(root)} is no YAML, so nothing in it was changed: {error}") from error
        if after != before:
            path.write_text(after, encoding="utf-8")
            changed.append(path)
    return changed


def changes(root: Path, arguments: argparse.Namespace) -> list[Change]:
    known = yaml.safe_load((root / REPOSITORY).read_text(encoding="utf-8"))
    project, kubeflow = known["project"], known["kubeflow"]
    found = []
    if arguments.project or arguments.revision:
        found.append(Change(project["repoURL"], arguments.project or project["repoURL"], project["targetRevision"],
                            arguments.revision or project["targetRevision"]))
    if arguments.kubeflow:
        revision = kubeflow["targetRevision"]
        found.append(Change(kubeflow["repoURL"], arguments.kubeflow, revision, revision))
    urls = [arguments.project or project["repoURL"], arguments.kubeflow or kubeflow["repoURL"]]
    if urls[0] == urls[1]:
        raise SystemExit("this project and Kubeflow cannot be the same repository: they could not be told apart later")
    return found


def main(words: list[str], root: Path = HERE) -> int:
    parser = argparse.ArgumentParser(prog="set_repository.py", description=__doc__.splitlines()[0])
    parser.add_argument("--project", metavar="URL", help="the repository that holds this project: your fork")
    parser.add_argument("--revision", help="its branch, tag or commit")
    parser.add_argument("--kubeflow", metavar="URL", help="the repository that holds Kubeflow's manifests: your mirror")
    arguments = parser.parse_args(words)
    for url in filter(None, (arguments.project, arguments.kubeflow)):
        if not LOOKS_LIKE_A_REPOSITORY.match(url):
            parser.error(f"'{url}' is no repository; write it as https://host/path.git or git@host:path.git")
    changed = [path for change in changes(root, arguments) for path in apply(root, change)]
    for path in sorted(set(changed)):
        print(f"changed {path.relative_to(root)}")
    print(f"{len(set(changed))} files changed" + ("; commit and push them" if changed else "") + ".")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
