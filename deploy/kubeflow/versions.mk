# Every version that is pinned here. The folder names of Kubeflow's releases differ, so each has a preset in chart/presets, with its tag;
# a test compares argocd/kustomization.yaml and ../repository.yaml with this file.
ARGOCD_VERSION = v3.5.6
PRESET = 1.11
