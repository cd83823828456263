"""Where the project and its test results are, and how a preset is built, which is timed."""

import os
import subprocess
import time
from pathlib import Path

from tiers import breakdown
from tiers.count import Count

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "build" / "test-results"
# Tests have deadlines, and wait for tools that Go builds; compilers take what is left.
COMPILERS_NICE = 5
# Set for the lanes once the programs are built: a lane that asked ninja again would wait for the tests' own compilation.
PROGRAMS_ARE_BUILT = "GS_PROGRAMS_ARE_BUILT"


def run(*command: str) -> bool:
    return subprocess.run(command, cwd=ROOT, check=False).returncode == 0


def build(count: Count, preset: str, *targets: str) -> bool:
    """Builds a preset; a failure is counted."""
    started = time.monotonic()
    is_built = run("nice", "-n", str(COMPILERS_NICE), "tools/build", preset, *targets)
    breakdown.note("build", " ".join([preset, *targets]), time.monotonic() - started)
    if not is_built:
        count.fail(f"the build of preset {preset}", " ".join(["tools/build", preset, *targets]))
    return is_built


def build_programs(count: Count, *targets: str) -> bool:
    """Builds what a tier starts, unless an earlier tier of the same run has built all of it."""
    return PROGRAMS_ARE_BUILT in os.environ or build(count, "dev", *targets)
