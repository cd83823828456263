#!/usr/bin/env bash
# Makes a certificate for the webhook and puts it into the cluster, before or after the chart is installed. Needs openssl and
# kubectl. See docs/webhook-certificates.md.
#
#   hack/gen-webhook-certs.sh <namespace>
set -euo pipefail

if [ $# -ne 1 ] || [ -z "$1" ]; then
  echo "usage: gen-webhook-certs.sh <namespace>" >&2
  exit 2
fi
namespace=$1
service=gpu-scheduler-webhook
host=$service.$namespace.svc
days=${CERT_DAYS:-365}

umask 077
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

openssl ecparam -name prime256v1 -genkey -noout -out "$scratch/ca.key"
openssl req -x509 -new -sha256 -key "$scratch/ca.key" -days "$days" -subj "/CN=$service-ca" \
  -addext 'basicConstraints=critical,CA:TRUE' -addext 'keyUsage=critical,keyCertSign,cRLSign' -out "$scratch/ca.crt"
openssl ecparam -name prime256v1 -genkey -noout -out "$scratch/tls.key"
openssl req -new -sha256 -key "$scratch/tls.key" -subj "/CN=$service" -out "$scratch/tls.csr"
printf 'subjectAltName=DNS:%s,DNS:%s.cluster.local\nextendedKeyUsage=serverAuth\n' "$host" "$host" > "$scratch/names"
openssl x509 -req -sha256 -in "$scratch/tls.csr" -CA "$scratch/ca.crt" -CAkey "$scratch/ca.key" -CAcreateserial \
  -days "$days" -extfile "$scratch/names" -out "$scratch/tls.crt" 2> /dev/null

kubectl get namespace "$namespace" > /dev/null 2>&1 || kubectl create namespace "$namespace"
kubectl create secret generic "$service-cert" --namespace "$namespace" --dry-run=client -o yaml \
  --from-file="$scratch/ca.crt" --from-file="$scratch/tls.crt" --from-file="$scratch/tls.key" | kubectl apply -f -

if ! kubectl get mutatingwebhookconfiguration "$service" > /dev/null 2>&1; then
  echo "There is no MutatingWebhookConfiguration $service yet: the webhook sets its caBundle when it starts."
  exit 0
fi
bundle=$(base64 < "$scratch/ca.crt" | tr -d '\n')
kubectl patch mutatingwebhookconfiguration "$service" --type=json \
  --patch "[{\"op\":\"add\",\"path\":\"/webhooks/0/clientConfig/caBundle\",\"value\":\"$bundle\"}]"
