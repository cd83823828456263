"""Where the things under test are, and the way to tests/cluster/support.py, which knows planes."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CHART = ROOT / "charts" / "gpu-scheduler"
CRDS = CHART / "crds" / "crds.yaml"
CLAIM_EXAMPLES = ROOT / "examples" / "claims"
MACHINE_EXAMPLES = ROOT / "examples" / "machines"

sys.path.insert(0, str(ROOT / "tests" / "cluster"))
