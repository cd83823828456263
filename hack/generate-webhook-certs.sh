#!/usr/bin/env bash
# Makes an authority and a certificate for the webhook's Service, as files and as a manifest that can be applied before the
# chart is installed. Needs openssl. See docs/webhook-certificates.md.
#
#   NAMESPACE=gpu-scheduler-system SERVICE_NAME=gpu-scheduler-webhook CERT_DIR=./certs hack/generate-webhook-certs.sh
set -euo pipefail

namespace=${NAMESPACE:-gpu-scheduler-system}
service=${SERVICE_NAME:-gpu-scheduler-webhook}
folder=${CERT_DIR:-./certs}
days=${CERT_DAYS:-365}
host=$service.$namespace.svc

umask 077
mkdir -p "$folder"
printf '*\n' > "$folder/.gitignore"  # keys have no place in a repository
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

in_base64() { base64 < "$1" | tr -d '\n'; }

cat > "$scratch/webhook-tls-secret.yaml" << END
apiVersion: v1
kind: Namespace
metadata:
  name: $namespace
---
apiVersion: v1
kind: Secret
metadata:
  name: $service-tls
  namespace: $namespace
type: kubernetes.io/tls
data:
  ca.crt: $(in_base64 "$scratch/ca.crt")
  tls.crt: $(in_base64 "$scratch/tls.crt")
  tls.key: $(in_base64 "$scratch/tls.key")
END

for file in ca.crt tls.crt tls.key webhook-tls-secret.yaml; do
  mv -f "$scratch/$file" "$folder/$file"
done
chmod 644 "$folder/ca.crt" "$folder/tls.crt"
chmod 600 "$folder/tls.key" "$folder/webhook-tls-secret.yaml"

cat << END
$folder has ca.crt, tls.crt, tls.key and webhook-tls-secret.yaml for $host, good for $days days. Next:

  kubectl apply -f $folder/webhook-tls-secret.yaml
  CA_BUNDLE=\$(base64 < $folder/ca.crt | tr -d '\\n')
  helm install gpu-scheduler charts/gpu-scheduler -n $namespace --set webhook.enabled=true --set webhook.caBundle=\$CA_BUNDLE
END
