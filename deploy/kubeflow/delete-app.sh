#!/bin/sh
# Deletes an Application with everything it deployed, and waits until it is gone: delete-app.sh APP
#
# Argo CD does not begin to delete an Application whose sync runs, and a sync that waits for something unhealthy runs for ever. So syncs
# of whatever is being deleted are ended here.
set -eu
app=$1
namespace=${NAMESPACE:-argocd}
pause=${PAUSE:-5}
apps() { kubectl -n "$namespace" "$@"; }
# Its parent may make another of this name at once.
uid_now() { apps get applications.argoproj.io "$app" --ignore-not-found -o jsonpath='{.metadata.uid}'; }
uid=$(uid_now)
apps delete applications.argoproj.io "$app" --ignore-not-found --wait=false
while [ -n "$uid" ] && [ "$(uid_now)" = "$uid" ]; do
  syncing=$(apps get applications.argoproj.io \
    -o go-template='{{range .items}}{{if and .metadata.deletionTimestamp .operation}}{{.metadata.name}} {{end}}{{end}}')
  for each in $syncing; do
    echo "ending the sync of $each"
    apps patch applications.argoproj.io "$each" --type merge -p '{"status":{"operationState":{"phase":"Terminating"}}}' > /dev/null || true
  done
  echo "waiting until $app is gone"
  sleep "$pause"
done
