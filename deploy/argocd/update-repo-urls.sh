#!/bin/sh
# Sets the repository that Argo CD reads this project from, in every manifest here and in ../kubeflow:
#
#   update-repo-urls.sh <url> [revision]
#
# URLs such as https://host/path.git and git@host:path.git work. Needs python3 with PyYAML.
set -eu
case "${1:-}" in
  '' | -*) echo "usage: update-repo-urls.sh <url> [revision]" >&2; exit 2 ;;
esac
if ! python3 -c 'import yaml' 2>/dev/null; then
  echo "update-repo-urls.sh needs python3 with PyYAML: install python3-yaml (Debian, Fedora) or run: pip install pyyaml" >&2
  exit 1
fi
here=$(cd "$(dirname "$0")" && pwd -P)
exec python3 "$here/../set_repository.py" --project "$1" ${2:+--revision "$2"}
