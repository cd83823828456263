#!/bin/sh
# Goes through the checklist of a deployed Kubeflow and names what is unhealthy. Nothing is changed: what could be made is only asked of
# the API server as a dry run. Exits with 1 when something is wrong, or cannot be looked at.
#
#   DASHBOARD=http://host:port            an address of yours; else a port of the gateway is forwarded
#   LOGIN=user@example.com PASSWORD=...   also logs in, as a browser does
set -u
namespace=${NAMESPACE:-argocd}
user_namespace=${USER_NAMESPACE:-kubeflow-user-example-com}
dashboard=${DASHBOARD:-}
dashboard=${dashboard%/}
kubeflow=app.kubernetes.io/part-of=kubeflow
failures=0
forward=""
work=$(mktemp -d) || exit 1
tidy() {
  if [ -n "$forward" ]; then kill "$forward" 2> /dev/null; fi
  rm -rf "$work"
}
trap tidy EXIT
trap 'exit 1' INT TERM

passed() { echo "ok      $1"; }
skipped() { echo "skipped $1"; }
failed() {
  echo "FAILED  $1"
  if [ -n "${2:-}" ]; then echo "        $2"; fi
  failures=$((failures + 1))
}

# Asks kubectl about something; $answer is what it says. No answer is a failure too, in kubectl's own words.
ask() {
  about=$1
  shift
  if answer=$(kubectl "$@" 2> "$work/errors"); then return 0; fi
  failed "cannot look at $about: $(tail -1 "$work/errors")" \
    "kubectl config current-context names the cluster that was asked; kubectl auth can-i --list what you may do there"
  return 1
}

# --- what Argo CD has deployed

check_applications() {
  ask "applications" -n "$namespace" get applications.argoproj.io -l $kubeflow \
    -o jsonpath='{range .items[*]}{.metadata.name} {.status.sync.status} {.status.health.status}{"\n"}{end}' || return
  if [ -z "$answer" ]; then failed "there are no applications" "make deploy-app-of-apps"; return; fi
  bad=$(echo "$answer" | grep -v ' Synced Healthy$')
  if [ -z "$bad" ]; then
    passed "all $(echo "$answer" | wc -l | tr -d ' ') applications are Synced and Healthy"
  else
    echo "$bad" | while read -r line; do echo "        $line"; done
    failed "applications that are not Synced and Healthy: $(echo "$bad" | cut -d ' ' -f 1 | tr '\n' ' ')" "make describe APP=NAME tells why"
  fi
}

has_namespace() {
  ask "namespace $1" get namespace "$1" --ignore-not-found -o name || return 1
  if [ -n "$answer" ]; then return 0; fi
  failed "there is no namespace $1" "make status shows whether the application that makes it is there and Synced"
  return 1
}

# Of what `kubectl get pods` shows: those that neither run with all containers ready nor have completed, as pods of Jobs do.
unready() {
  awk '!NF || $3 == "Completed" { next }
       $3 != "Running" { print $1 " (" $3 ")"; next }
       { split($2, ready, "/"); if (ready[1] != ready[2]) print $1 " (" $2 " ready)" }'
}

# Whatever runs in a namespace; $2 is said where nothing does.
check_pods_of() {
  has_namespace "$1" || return
  ask "pods in $1" -n "$1" get pods --no-headers || return
  bad=$(echo "$answer" | unready)
  if [ -n "$bad" ]; then
    failed "pods in $1: $(echo "$bad" | tr '\n' ' ')" "kubectl -n $1 describe pod NAME"
  elif [ "$(echo "$answer" | awk '$3 == "Running"' | wc -l)" -gt 0 ]; then
    passed "pods in $1 are ready"
  else
    "$2" "no pod runs in $1" "kubectl -n $1 get events"
  fi
}

# Wherever the applications have something that makes pods, and in the namespace of the first user, who may have none yet.
check_pods() {
  ask "what the applications have deployed" -n "$namespace" get applications.argoproj.io -l $kubeflow \
    -o jsonpath='{range .items[*]}{range .status.resources[*]}{.kind} {.namespace}{"\n"}{end}{end}' || return
  places=$(echo "$answer" | awk '$1 ~ /^(Deployment|StatefulSet|DaemonSet)$/ { print $2 }' | sort -u)
  if [ -z "$places" ]; then failed "the applications have deployed nothing that makes pods" "make status"; fi
  for each in $places; do
    if [ "$each" != "$user_namespace" ]; then check_pods_of "$each" failed; fi
  done
  check_pods_of "$user_namespace" passed
}

# --- what a browser sees

# Where no address was given, one that leads to the gateway for as long as this runs.
find_dashboard() {
  if [ -n "$dashboard" ]; then return 0; fi
  kubectl -n istio-system port-forward svc/istio-ingressgateway "${PORT:-}:80" > "$work/forward" 2>&1 &
  forward=$!
  while ! grep -q '^Forwarding from' "$work/forward"; do
    if ! kill -0 "$forward" 2> /dev/null; then
      failed "cannot forward a port of the gateway: $(tail -1 "$work/forward")" "kubectl -n istio-system get svc,pods, or DASHBOARD=http://host:port"
      return 1
    fi
    sleep "${PAUSE:-1}"
  done
  dashboard=http://$(sed -n 's/^Forwarding from \([^ ]*\) .*/\1/p' "$work/forward" | head -1)
}

# A page of the dashboard's address: $code, or why there is none; the page is in $work/page, and where it leads in $leads_to.
fetch() {
  : > "$work/page"
  answer=$(curl -sS -o "$work/page" -m 20 -w '%{http_code} %{redirect_url}' "$dashboard$1" 2> "$work/errors")
  code=${answer%% *}
  leads_to=${answer#* }
  if [ "${code:-000}" = 000 ]; then code="nothing: $(tail -1 "$work/errors"),"; fi
}

# Whoever has not logged in may be led to the login, or refused.
check_dashboard() {
  fetch /
  case "$code" in
    200 | 302 | 303 | 403) passed "the dashboard answers at $dashboard ($code)" ;;
    *) failed "the dashboard answers $code at $dashboard" "kubectl -n kubeflow get pods -l app=centraldashboard" ;;
  esac
}

# Dex tells clients where its parts are, and by which keys they know its tokens.
check_dex() {
  for each in '/dex/.well-known/openid-configuration "token_endpoint"' '/dex/keys "kid"'; do
    path=${each% *}
    fetch "$path"
    if [ "$code" != 200 ]; then
      failed "Dex answers $code at $dashboard$path" "kubectl -n auth get pods"
    elif ! grep -q "${each#* }" "$work/page"; then
      failed "what answers at $dashboard$path is not Dex: it has no ${each#* }" "kubectl -n auth get pods,virtualservices.networking.istio.io"
    else
      passed "Dex answers at $path"
    fi
  done
  fetch /oauth2/start
  case "$leads_to" in
    */dex/auth*) passed "a login begins at Dex" ;;
    *) failed "oauth2-proxy answers $code and does not lead to Dex at $dashboard/oauth2/start" "kubectl -n oauth2-proxy get pods" ;;
  esac
}

# As a browser that keeps cookies and goes where it is led; prints the code and the address at the end.
browse() { curl -sS -L -m 60 -b "$work/cookies" -c "$work/cookies" -o /dev/null -w '%{http_code} %{url_effective}' "$@" 2> "$work/errors"; }

# From the dashboard to Dex's form, and with a code that is exchanged for a token back to the dashboard.
check_login() {
  if [ -z "${LOGIN:-}" ]; then skipped "nobody has logged in: LOGIN=user@example.com PASSWORD=... make verify does"; return; fi
  form=$(browse "$dashboard/")
  form=${form#* }
  case "$form" in
    */dex/auth/*/login*) ;;
    *) failed "the dashboard leads to $form and not to Dex's form for passwords" "log in by hand if Dex asks somebody else: make port-forward-dashboard"; return ;;
  esac
  # The password is not among the arguments, which everybody on this machine can read.
  end=$(printf %s "${PASSWORD:-}" | browse --data-urlencode "login=$LOGIN" --data-urlencode password@- "$form")
  case "$end" in
    */dex/*) failed "Dex does not let $LOGIN in" "is the PASSWORD right? kubectl -n auth logs deployment/dex tells more" ;;
    "200 $dashboard/"*) passed "$LOGIN can log in and sees the dashboard" ;;
    *) failed "the login of $LOGIN ends with ${end:-$(tail -1 "$work/errors")}" "kubectl -n oauth2-proxy logs deployment/oauth2-proxy" ;;
  esac
}

# --- what users make

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

# Without a cluster all the rest would fail for the same reason, and each after a while.
ask "the cluster" version || exit 1
check_applications
check_pods
if find_dashboard; then
  check_dashboard
  check_dex
  check_login
fi
check_kinds
if [ "$failures" -gt 0 ]; then
  echo "Things that are wrong: $failures."
  exit 1
fi
echo "Kubeflow is as it should be."
