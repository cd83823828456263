#!/bin/sh
# Runs the argocd command without `argocd login`: argocd-core.sh app get kubeflow-katib
#
# With --core it needs no API server of Argo CD, only a kubeconfig whose namespace is that of Argo CD. Yours stays as it is: argocd gets
# a copy of its current context, which is removed afterwards.
set -eu
namespace=${NAMESPACE:-argocd}
if ! command -v argocd > /dev/null; then
  echo "argocd-core.sh: there is no argocd command; make install-argocd-cli installs it" >&2
  exit 1
fi
copy=$(mktemp)
trap 'rm -f "$copy"' EXIT
trap 'exit 1' INT TERM
# With the certificates in it: paths to them may be relative to the file that they came from.
kubectl config view --minify --flatten --raw > "$copy"
kubectl --kubeconfig "$copy" config set-context --current --namespace "$namespace" > /dev/null
KUBECONFIG=$copy argocd "$@" --core
