"""The images that a real node has from the start, made of busybox, because there is no registry to pull from.

They are written as an archive in Docker's format, which `ctr images import` reads. Pods use them with
imagePullPolicy Never.
"""

import hashlib
import io
import json
import platform
import re
import subprocess
import tarfile
from pathlib import Path

TEST_IMAGE = "gpu-scheduler.test/busybox:1"
PAUSE_IMAGE = "gpu-scheduler.test/pause:1"
COMMANDS = {TEST_IMAGE: ["/bin/sh"], PAUSE_IMAGE: ["/bin/sleep", "2147483647"]}
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
FOLDERS = ("bin", "etc", "tmp")


def libraries(program: Path) -> list[Path]:
    """Empty for a static program, as in Debian's busybox-static."""
    said = subprocess.run(["ldd", program], text=True, capture_output=True, check=False).stdout
    return [Path(found) for found in re.findall(r"(/\S+) \(0x", said)]


def add_bytes(archive: tarfile.TarFile, name: str, data: bytes, mode: int = 0o644) -> None:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = len(data), mode
    archive.addfile(entry, io.BytesIO(data))


def add_link(archive: tarfile.TarFile, name: str, target: str) -> None:
    entry = tarfile.TarInfo(name)
    entry.type, entry.linkname = tarfile.SYMTYPE, target
    archive.addfile(entry)


def layer(busybox: Path) -> bytes:
    applets = subprocess.run([busybox, "--list"], text=True, capture_output=True, check=True).stdout.split()
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        for name in FOLDERS:
            folder = tarfile.TarInfo(name)
            folder.type, folder.mode = tarfile.DIRTYPE, 0o777 if name == "tmp" else 0o755
            archive.addfile(folder)
        add_bytes(archive, "bin/busybox", busybox.read_bytes(), 0o755)
        for library in libraries(busybox):
            add_bytes(archive, str(library).lstrip("/"), library.read_bytes(), 0o755)
        for applet in applets:
            if applet != "busybox":
                add_link(archive, f"bin/{applet}", "busybox")
    return data.getvalue()


def configuration(command: list[str], layer_sum: str) -> bytes:
    machine = platform.machine()
    return json.dumps({"architecture": ARCHITECTURES.get(machine, machine), "os": "linux",
                       "config": {"Cmd": command, "Env": ["PATH=/bin"]},
                       "rootfs": {"type": "layers", "diff_ids": [f"sha256:{layer_sum}"]}}).encode()


def write_archive(path: Path, busybox: Path) -> None:
    data = layer(busybox)
    layer_sum = hashlib.sha256(data).hexdigest()
    manifest = []
    with tarfile.open(path, "w") as archive:
        add_bytes(archive, "layer.tar", data)
        for name, command in COMMANDS.items():
            text = configuration(command, layer_sum)
            file_name = f"{hashlib.sha256(text).hexdigest()}.json"
            add_bytes(archive, file_name, text)
            manifest.append({"Config": file_name, "RepoTags": [name], "Layers": ["layer.tar"]})
        add_bytes(archive, "manifest.json", json.dumps(manifest).encode())
