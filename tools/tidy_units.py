"""Which files clang-tidy reads as one.

It spends most of its time on the headers, so files that are compiled with the same flags, in whatever folder, are put into one that
includes them. tools/unity_groups.py knows which files can stand beside each other.
"""

import json
import os
import shlex
from dataclasses import dataclass
from pathlib import Path

import unity_groups

MOST_FILES = 16  # more would need gigabytes


@dataclass
class Unit:
    """What clang-tidy is given, the folder of its compile command, and the files of the project that it reads."""

    path: Path
    commands: Path
    files: list[str]


def flags(command: dict) -> list[str]:
    """The compiler and its flags, without the file and what it becomes."""
    words = shlex.split(command["command"])
    place = words.index("-o") if "-o" in words else len(words)
    return [word for word in words[:place] + words[place + 2:] if word not in ("-c", command["file"])]


class Units:
    """The compile commands of a build folder, and units of them in its folder `units`."""

    def __init__(self, root: Path, build: Path):
        self.root = root
        self.build = build
        self.folder = build / "units"
        commands = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
        self.flags = {Path(os.path.relpath(Path(each["directory"]) / each["file"], root)).as_posix(): flags(each)
                      for each in commands}

    def alone(self, path: str) -> Unit:
        return Unit(self.root / path, self.build, [path])

    def groups(self, paths: list[str]) -> list[Unit]:
        """Units of all these files, in the order of the first of each."""
        sources = unity_groups.read_sources(self.root, self.build / "unity_facts.json")
        alike: dict[str, dict[str, unity_groups.Source]] = {}
        for path in paths:
            alike.setdefault(shlex.join(self.flags[path]), {})[path] = sources[path]
        groups: dict[tuple[str, int], list[str]] = {}
        for text, members in alike.items():
            for path, number in unity_groups.group(members, MOST_FILES).items():
                groups.setdefault((text, number), []).append(path)
        return self._written(sorted(groups.values(), key=lambda files: paths.index(files[0])))

    def _written(self, groups: list[list[str]]) -> list[Unit]:
        self.folder.mkdir(parents=True, exist_ok=True)
        units, commands = [], []
        for number, files in enumerate(groups):
            if len(files) == 1:
                units.append(self.alone(files[0]))
                continue
            unit = Unit(self.folder / f"{number}.cc", self.folder, files)
            unit.path.write_text("".join(f'#include "{self.root / file}"\n' for file in files), encoding="utf-8")
            command = shlex.join([*self.flags[files[0]], "-c", str(unit.path)])
            commands.append({"directory": str(self.build), "file": str(unit.path), "command": command})
            units.append(unit)
        (self.folder / "compile_commands.json").write_text(json.dumps(commands), encoding="utf-8")
        return units
