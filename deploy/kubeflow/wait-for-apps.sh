#!/bin/sh
# Waits until an Application is Synced and Healthy, and tells every 10 s what it waits for: wait-for-apps.sh APP SECONDS
set -eu
app=$1
left=$2
namespace=${NAMESPACE:-argocd}
pause=${PAUSE:-10}
state() {
  kubectl -n "$namespace" get applications.argoproj.io "$1" -o jsonpath='{.status.sync.status}/{.status.health.status}'
}
while :; do
  now=$(state "$app" 2>/dev/null || echo "not there")
  if [ "$now" = Synced/Healthy ]; then
    echo "$app is Synced and Healthy."
    exit 0
  fi
  if [ "$left" -le 0 ]; then
    echo "$app is $now. make status shows all; make describe APP=$app tells why." >&2
    exit 1
  fi
  waiting=$(kubectl -n "$namespace" get applications.argoproj.io -l app.kubernetes.io/part-of=kubeflow \
    -o jsonpath='{range .items[*]}{.metadata.name}={.status.sync.status}/{.status.health.status} {end}' 2>/dev/null |
    tr ' ' '\n' | grep -v -e '=Synced/Healthy$' -e '^$' | tr '\n' ' ' || true)
  echo "$left s left; waiting for: ${waiting:-$app}"
  sleep "$pause"
  left=$((left - pause))
done
