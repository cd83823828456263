"""The parts of a real node that can be checked without one."""

import json
import tarfile
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from support import PROGRAM  # sets the path to the modules below

import plane
from failures import Unavailable
from processes import without_proxies
from real_node import cgroups, images, network, requirements

OWN = "3:memory:/session/one\n2:cpu,cpuacct:/\n1:name=systemd:/\n0::/session\n"
MOUNTS = """\
30 20 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755
31 30 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:5 - cgroup cgroup rw,cpu,cpuacct
32 30 0:30 /session /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
33 30 0:31 / /sys/fs/cgroup/systemd rw,relatime - cgroup cgroup rw,xattr,name=systemd
34 30 0:32 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
35 30 0:33 / /elsewhere/memory rw,relatime - cgroup cgroup rw,memory
"""


class Groups(unittest.TestCase):
    def test_they_lie_below_the_own_group_in_each_hierarchy(self):
        found = cgroups.parents_v1(cgroups.own_groups(OWN), MOUNTS)
        self.assertEqual(found, [Path("/sys/fs/cgroup/cpu,cpuacct"), Path("/sys/fs/cgroup/memory/one"),
                                 Path("/sys/fs/cgroup/systemd")])

    def test_controllers_that_a_machine_does_not_offer_are_named(self):
        with tempfile.TemporaryDirectory() as name, mock.patch.object(cgroups, "UNIFIED", Path(name)):
            self.assertEqual(cgroups.missing_controllers(), [], "this is not cgroup v2")
            (Path(name) / "cgroup.controllers").write_text("cpuset cpu io memory\n", encoding="utf-8")
            self.assertEqual(cgroups.missing_controllers(), ["pids"])

    def test_controllers_are_handed_down_once(self):
        with tempfile.TemporaryDirectory() as name, mock.patch.object(cgroups, "UNIFIED", Path(name)):
            (Path(name) / "cgroup.controllers").write_text("cpu io memory\n", encoding="utf-8")
            control = Path(name) / "cgroup.subtree_control"
            control.write_text("memory\n", encoding="utf-8")
            cgroups.make_all([Path(name) / "node"])
            self.assertEqual(control.read_text(encoding="utf-8"), "+cpu")
            self.assertTrue((Path(name) / "node" / "init").is_dir())
            self.assertEqual(cgroups.remove([Path(name) / "node"]), [])


class Networks(unittest.TestCase):
    def test_every_number_has_addresses_and_a_cable_of_its_own(self):
        all_of_them = [network.Addresses(number) for number in network.NUMBERS]
        for what in ("machine", "node", "pods", "cable"):
            self.assertEqual(len({getattr(addresses, what) for addresses in all_of_them}), len(network.NUMBERS))
        self.assertTrue(all(len(addresses.cable) <= 15 for addresses in all_of_them), "a limit of the kernel")
        self.assertEqual(network.Addresses(257).node, "198.19.1.2")


class Images(unittest.TestCase):
    def test_the_archive_holds_both_images_with_one_layer(self):
        with tempfile.TemporaryDirectory() as name:
            busybox = Path(name) / "busybox"
            busybox.write_text("#!/bin/sh\nprintf 'busybox\\nsh\\nsleep\\n'\n", encoding="utf-8")
            busybox.chmod(0o755)
            images.write_archive(Path(name) / "images.tar", busybox)
            with tarfile.open(Path(name) / "images.tar") as archive:
                manifest = json.load(archive.extractfile("manifest.json"))
                with tarfile.open(fileobj=archive.extractfile("layer.tar")) as layer:
                    links = {entry.name: entry.linkname for entry in layer if entry.issym()}
                    self.assertTrue(layer.getmember("bin/busybox").mode & 0o111)
        self.assertEqual([one["RepoTags"] for one in manifest], [[images.TEST_IMAGE], [images.PAUSE_IMAGE]])
        self.assertEqual(links, {"bin/sh": "busybox", "bin/sleep": "busybox"})


class Requirements(unittest.TestCase):
    def test_everything_that_is_missing_is_in_one_message(self):
        with mock.patch.object(requirements.os, "geteuid", return_value=1000), \
                mock.patch.object(requirements, "program", return_value=None), \
                mock.patch.object(requirements, "PLUGIN_FOLDERS", ()):
            with self.assertRaisesRegex(Unavailable, r"skipped. Missing: root, containerd \(.*plugins"):
                requirements.check()

    def test_a_chroot_is_told_from_a_machine(self):
        self.assertTrue(requirements.root_is_a_mount("21 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw\n"))
        self.assertFalse(requirements.root_is_a_mount("22 1 0:5 / /proc rw,relatime - proc proc rw\n"))


class Environment(unittest.TestCase):
    def test_a_command_is_told_the_plane_and_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            environment = plane.Plane("any", Path(folder)).environment()
            self.assertEqual(environment["GS_TEST_PLANE"], folder)
        self.assertEqual(environment["GS_CLUSTER_TOOL"], str(PROGRAM))

    def test_components_get_no_proxy(self):
        self.assertEqual(without_proxies({"HTTPS_PROXY": "a", "no_proxy": "b", "HOME": "c"}), {"HOME": "c"})
