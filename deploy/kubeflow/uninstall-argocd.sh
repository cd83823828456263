#!/bin/sh
# Removes Argo CD, if it has no Applications any more: without it nobody would finish deleting them.
set -eu
namespace=${NAMESPACE:-argocd}
left=$(kubectl get applications.argoproj.io -A -o name 2> /dev/null | sed 's|.*/||' | grep -v -x argocd | tr '\n' ' ' || true)
if [ -n "$left" ]; then
  echo "Argo CD still has applications: $left- delete them first, with make delete-all-apps and make delete-app APP=..." >&2
  exit 1
fi
# The one that keeps Argo CD as it is in Git would go on with that meanwhile.
kubectl -n "$namespace" delete applications.argoproj.io argocd --ignore-not-found 2> /dev/null || true
kubectl delete -k argocd --ignore-not-found
