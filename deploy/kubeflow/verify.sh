#!/bin/sh
# Goes through the checklist of a deployed Kubeflow and names what is unhealthy. Nothing is changed: what could be made is only asked of
# the API server as a dry run. Exits with 1 when something is wrong. DASHBOARD=http://host:port checks an address of yours.
set -u
namespace=${NAMESPACE:-argocd}
user_namespace=${USER_NAMESPACE:-kubeflow-user-example-com}
dashboard=${DASHBOARD:-}
failures=0

passed() { echo "ok      $1"; }
failed() {
  echo "FAILED  $1"
  if [ -n "${2:-}" ]; then echo "        $2"; fi
  failures=$((failures + 1))
}

check_applications() {
  found=$(kubectl -n "$namespace" get applications.argoproj.io -l app.kubernetes.io/part-of=kubeflow \
    -o jsonpath='{range .items[*]}{.metadata.name} {.status.sync.status} {.status.health.status}{"\n"}{end}')
  if [ -z "$found" ]; then failed "there are no applications" "make deploy-app-of-apps"; return; fi
  bad=$(echo "$found" | grep -v ' Synced Healthy$')
  if [ -z "$bad" ]; then
    passed "all $(echo "$found" | wc -l | tr -d ' ') applications are Synced and Healthy"
  else
    echo "$bad" | while read -r line; do echo "        $line"; done
    failed "applications that are not Synced and Healthy: $(echo "$bad" | cut -d ' ' -f 1 | tr '\n' ' ')" "argocd app get NAME tells why"
  fi
}

# In the namespaces of the platform: neither waiting, nor failing, nor starting again and again.
check_pods() {
  for each in auth cert-manager istio-system knative-serving kubeflow kubeflow-system oauth2-proxy "$user_namespace"; do
    bad=$(kubectl -n "$each" get pods --no-headers 2>/dev/null | awk '$3 != "Running" && $3 != "Completed" { print $1 " (" $3 ")" }')
    if [ -n "$bad" ]; then
      failed "pods in $each: $(echo "$bad" | tr '\n' ' ')" "kubectl -n $each describe pod NAME"
    else
      passed "pods in $each run"
    fi
  done
}

# A page of the dashboard leads to Dex's login for whoever has none.
check_dashboard() {
  forward=""
  if [ -z "$dashboard" ]; then
    kubectl -n istio-system port-forward svc/istio-ingressgateway "${PORT:-18080}:80" > /dev/null 2>&1 &
    forward=$!
    dashboard=http://localhost:${PORT:-18080}
  fi
  code=000
  tries=0
  while [ "$code" = 000 ] && [ "$tries" -lt 15 ]; do
    code=$(curl -s -o /dev/null -m 5 -w '%{http_code}' "$dashboard/" || true)
    tries=$((tries + 1))
    if [ "$code" = 000 ]; then sleep 1; fi
  done
  case "$code" in
    200 | 302 | 303 | 403) passed "the dashboard answers at $dashboard ($code)" ;;
    *) failed "the dashboard answers $code at $dashboard" "kubectl -n kubeflow get pods -l app=centraldashboard" ;;
  esac
  code=$(curl -s -o /dev/null -m 5 -w '%{http_code}' "$dashboard/dex/.well-known/openid-configuration" || true)
  case "$code" in
    200) passed "Dex answers" ;;
    *) failed "Dex answers $code at $dashboard/dex" "kubectl -n auth get pods" ;;
  esac
  if [ -n "$forward" ]; then kill "$forward" 2> /dev/null; fi
}

# Whether something could be made: the API server looks at it as it would at a real one, webhooks and all.
check_can_make() {
  if said=$(kubectl apply --server-side --dry-run=server --field-manager=kubeflow-verify -f - 2>&1); then
    passed "a $1 can be made"
  else
    failed "a $1 cannot be made" "$(echo "$said" | tail -1)"
  fi
}

check_kinds() {
  check_can_make Profile << EOF
apiVersion: kubeflow.org/v1
kind: Profile
metadata: {name: kubeflow-verify}
spec: {owner: {kind: User, name: verify@example.com}}
EOF
  check_can_make Notebook << EOF
apiVersion: kubeflow.org/v1
kind: Notebook
metadata: {name: kubeflow-verify, namespace: $user_namespace}
spec: {template: {spec: {containers: [{name: kubeflow-verify, image: jupyter}]}}}
EOF
  check_can_make Workflow << EOF
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {name: kubeflow-verify, namespace: $user_namespace}
spec: {entrypoint: main, templates: [{name: main, container: {image: busybox, command: ["true"]}}]}
EOF
  check_can_make InferenceService << EOF
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: kubeflow-verify, namespace: $user_namespace}
spec: {predictor: {model: {modelFormat: {name: sklearn}, storageUri: "pvc://models/verify"}}}
EOF
}

check_applications
check_pods
check_dashboard
check_kinds
if [ "$failures" -gt 0 ]; then
  echo "$failures things are wrong."
  exit 1
fi
echo "Kubeflow is as it should be."
