#!/bin/sh
# Sets the repositories that Argo CD reads from, in every manifest here and in ../argocd:
#
#   update-repo-urls.sh <url> [revision]     this project, or your fork of it; the same as REPO=<url>
#   MANIFESTS=<url> update-repo-urls.sh      Kubeflow's manifests, or your mirror of them
#
# Needs python3 with PyYAML.
set -eu
repo=${1:-${REPO:-}}
case "$repo" in
  -*) repo="" ; MANIFESTS="" ;;
esac
if [ -z "$repo" ] && [ -z "${MANIFESTS:-}" ]; then
  echo "usage: update-repo-urls.sh <url> [revision], with MANIFESTS=<url> for Kubeflow's own repository" >&2
  exit 2
fi
if ! python3 -c 'import yaml' 2>/dev/null; then
  echo "update-repo-urls.sh needs python3 with PyYAML: install python3-yaml (Debian, Fedora) or run: pip install pyyaml" >&2
  exit 1
fi
here=$(cd "$(dirname "$0")" && pwd -P)
exec python3 "$here/../set_repository.py" ${repo:+--project "$repo"} ${2:+--revision "$2"} ${MANIFESTS:+--kubeflow "$MANIFESTS"}
