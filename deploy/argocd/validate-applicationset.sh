#!/bin/sh
# Looks for what would keep Argo CD from deploying gpu-scheduler, and says how to repair it:
#
#   validate-applicationset.sh              the files; and the cluster, where kubectl reaches one
#   validate-applicationset.sh --offline    the files alone
#
# Needs python3 with PyYAML, and helm. Uses kubeconform where it is installed; KUBECONFORM_SCHEMAS names other schemas for it.
set -eu
if ! python3 -c 'import yaml' 2>/dev/null; then
  echo "validate-applicationset.sh needs python3 with PyYAML: install python3-yaml (Debian, Fedora) or run: pip install pyyaml" >&2
  exit 1
fi
here=$(cd "$(dirname "$0")" && pwd -P)
exec python3 "$here/validate_applicationset.py" "$@"
