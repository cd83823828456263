"""Where the things under test are, and the way to what other tests share."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
ARGOCD = DEPLOY / "argocd"
KUBEFLOW = DEPLOY / "kubeflow"
HEALTH = ARGOCD / "argocd-health.yaml"

for folder in (*(ROOT / "tests" / name for name in ("charts", "cluster", "docs")), DEPLOY, ARGOCD, KUBEFLOW):
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
