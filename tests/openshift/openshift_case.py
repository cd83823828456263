"""What the tests on the plane have in common: a cluster to begin with, and runs of the Job that end as they have to."""

import unittest

from openshift_plane import the_plane
from failures import Unavailable  # of tools/cluster, which openshift_plane knows the way to

FIRST = "cluster-zpqdx-xxm9n-gpu-g6-4xlarge-us-east-2a"
SECOND = "cluster-zpqdx-xxm9n-gpu-g6-12xlarge-us-east-2a"
AUTOSCALED = "instanceTypes:\n  g6.4xlarge:\n    autoscale: {min: 0, max: 4}\n"
NOTHING = "Nothing has changed."


class OnOpenShift(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        try:
            cls.openshift = the_plane()
        except Unavailable as why:
            raise unittest.SkipTest(str(why)) from why

    def begin(self, *components: str, case: str = "aws-default", settings: str | None = None) -> None:
        self.openshift.become(case)
        self.openshift.deploy(*components)
        if settings is not None:
            self.openshift.write_settings(settings)

    def succeed(self, *more: str, **options) -> str:
        done = self.openshift.run_job(*more, **options)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def fail_with(self, code: int, *more: str, **options) -> str:
        done = self.openshift.run_job(*more, **options)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr
