#!/usr/bin/env bash
# Makes an authority and a certificate for the webhook's Service. Has two names, gen-webhook-certs.sh and
# generate-webhook-certs.sh, and works when it is piped into bash. Needs openssl. See docs/webhook-certificates.md.
#
#   hack/gen-webhook-certs.sh <namespace>   puts them into the cluster with kubectl, before or after the chart is installed
#   hack/generate-webhook-certs.sh          writes files, and a manifest to apply; no cluster is asked
#
# Environment: CERT_DAYS=365 SERVICE_NAME=gpu-scheduler-webhook, and for files NAMESPACE=gpu-scheduler-system CERT_DIR=./certs
set -euo pipefail

if [ $# -gt 1 ] || { [ $# -eq 1 ] && { [ -z "$1" ] || [ "${1#-}" != "$1" ]; }; }; then
  echo "usage: gen-webhook-certs.sh [<namespace>]" >&2
  exit 2
fi
namespace=${1:-${NAMESPACE:-gpu-scheduler-system}}
service=${SERVICE_NAME:-gpu-scheduler-webhook}
folder=${CERT_DIR:-./certs}
days=${CERT_DAYS:-365}
host=$service.$namespace.svc

umask 077
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

make_certificates() {
  openssl ecparam -name prime256v1 -genkey -noout -out "$scratch/ca.key"
  openssl req -x509 -new -sha256 -key "$scratch/ca.key" -days "$days" -subj "/CN=$service-ca" \
    -addext 'basicConstraints=critical,CA:TRUE' -addext 'keyUsage=critical,keyCertSign,cRLSign' -out "$scratch/ca.crt"
  openssl ecparam -name prime256v1 -genkey -noout -out "$scratch/tls.key"
  openssl req -new -sha256 -key "$scratch/tls.key" -subj "/CN=$service" -out "$scratch/tls.csr"
  printf 'subjectAltName=DNS:%s,DNS:%s.cluster.local\nextendedKeyUsage=serverAuth\n' "$host" "$host" > "$scratch/names"
  openssl x509 -req -sha256 -in "$scratch/tls.csr" -CA "$scratch/ca.crt" -CAkey "$scratch/ca.key" -CAcreateserial \
    -days "$days" -extfile "$scratch/names" -out "$scratch/tls.crt" 2> /dev/null
}

in_base64() { base64 < "$1" | tr -d '\n'; }

# The Secret of this name and type. The annotation keeps Helm from deleting it, should a release ever have made one so called.
print_secret() {
  cat << END
apiVersion: v1
kind: Secret
metadata:
  name: $1
  namespace: $namespace
  annotations:
    helm.sh/resource-policy: keep
type: $2
data:
  ca.crt: $(in_base64 "$scratch/ca.crt")
  tls.crt: $(in_base64 "$scratch/tls.crt")
  tls.key: $(in_base64 "$scratch/tls.key")
END
}

put_into_cluster() {
  kubectl get namespace "$namespace" > /dev/null 2>&1 || kubectl create namespace "$namespace"
  print_secret "$service-cert" Opaque | kubectl apply -f -
  echo "The webhook uses it within a minute, or when it starts, and sets the caBundle itself."
}

write_files() {
  mkdir -p "$folder"
  printf '*\n' > "$folder/.gitignore"  # keys have no place in a repository
  {
    printf 'apiVersion: v1\nkind: Namespace\nmetadata:\n  name: %s\n---\n' "$namespace"
    print_secret "$service-tls" kubernetes.io/tls
  } > "$scratch/webhook-tls-secret.yaml"
  for file in ca.crt tls.crt tls.key webhook-tls-secret.yaml; do
    mv -f "$scratch/$file" "$folder/$file"
  done
  chmod 644 "$folder/ca.crt" "$folder/tls.crt"
  chmod 600 "$folder/tls.key" "$folder/webhook-tls-secret.yaml"
  cat << END
$folder has ca.crt, tls.crt, tls.key and webhook-tls-secret.yaml for $host, good for $days days. Next:

  kubectl apply -f $folder/webhook-tls-secret.yaml
  CA_BUNDLE=\$(base64 < $folder/ca.crt | tr -d '\\n')
  helm upgrade gpu-scheduler charts/gpu-scheduler --install -n $namespace --set webhook.enabled=true --set webhook.caBundle=\$CA_BUNDLE
END
}

make_certificates
if [ $# -eq 1 ]; then put_into_cluster; else write_files; fi
