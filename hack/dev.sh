#!/usr/bin/env bash
# Puts what is in this folder into a cluster, and puts it there again after a change: makes the image, installs or upgrades the
# chart, waits until it runs, and shows what there is. Needs kubectl and helm, and a cluster that they reach.
#
#   NAMESPACE=gpu-system hack/dev.sh [option of helm upgrade...]
#
# NAMESPACE   where to (gpu-scheduler-system)
# REGISTRY    pushes the image there, and tells the cluster to take it from there: registry.example.com/team
# IMAGE       takes this image and makes none: registry.example.com/team/gpu-scheduler:v1
# RELEASE     what the release is called (gpu-scheduler)
# TIMEOUT     how long to wait (5m)
set -euo pipefail

namespace=${NAMESPACE:-gpu-scheduler-system}
release=${RELEASE:-gpu-scheduler}
timeout=${TIMEOUT:-5m}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

for tool in kubectl helm; do
  command -v "$tool" > /dev/null || { echo "dev.sh: $tool is not installed" >&2; exit 1; }
done

image=${IMAGE:-}
if [ -z "$image" ]; then
  tag=dev-$(date +%Y%m%d%H%M%S)
  make -C "$root" image
  if [ -n "${REGISTRY:-}" ]; then
    make -C "$root" push REGISTRY="$REGISTRY" TAG="$tag"
    image=$REGISTRY/gpu-scheduler:$tag
  else
    image=gpu-scheduler:latest
    echo "dev.sh: no REGISTRY is given: every node must have $root/build/image/gpu-scheduler.oci.tar (ctr -n k8s.io images import)"
  fi
fi
name=${image##*/}
case $name in
  *:*) repository=${image%:*} tag=${name##*:} ;;
  *) repository=$image tag=latest ;;
esac

kubectl apply --server-side --force-conflicts -f "$root/charts/gpu-scheduler/crds/crds.yaml"
helm upgrade "$release" "$root/charts/gpu-scheduler" --install --namespace "$namespace" --create-namespace \
  --set "image.repository=$repository" --set-string "image.tag=$tag" "$@"

selector=app.kubernetes.io/instance=$release
# Where something does not start, the status says more than the wait does.
failed=0
for workload in $(kubectl get deploy,daemonset -n "$namespace" -l "$selector" -o name); do
  kubectl rollout status "$workload" -n "$namespace" --timeout="$timeout" || failed=1
done
kubectl get deploy,daemonset,pods -n "$namespace" -l "$selector" -o wide
kubectl get gpunodestatuses
if [ "$failed" -ne 0 ]; then
  echo "dev.sh: not everything runs; kubectl describe pods -n $namespace says why, and so does docs/TROUBLESHOOTING.md" >&2
fi
exit "$failed"
