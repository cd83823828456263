{{/* What this release's objects are called. Installed as gpu-scheduler they are called that and nothing longer. */}}
{{- define "gpu-scheduler.fullname" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 63 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 63 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Names without a namespace: another namespace may hold a release that is called the same. */}}
{{- define "gpu-scheduler.clusterName" -}}
{{- printf "%s-%s" (include "gpu-scheduler.fullname" .) .Release.Namespace -}}
{{- end -}}

{{/* Which pods are the scheduler's. A Deployment cannot change this later. */}}
{{- define "gpu-scheduler.selectorLabels" -}}
app.kubernetes.io/name: gpu-scheduler
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "gpu-scheduler.labels" -}}
{{ include "gpu-scheduler.selectorLabels" . }}
app.kubernetes.io/component: scheduler
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
app: gpu-scheduler
{{- end -}}

{{/* An upgrade with --reuse-values from a chart without the fence brings no value for it. */}}
{{- define "gpu-scheduler.fenceNamespace" -}}
{{- (.Values.fence | default dict).namespace | default "kube-system" -}}
{{- end -}}

{{/* The value is gone. Empty, as --reuse-values brings it along from a chart that had it, it asks for nothing. */}}
{{- define "gpu-scheduler.refuseLocks" -}}
{{- if (.Values.locks | default dict).namespace -}}
{{- fail "locks.namespace is gone: Leases no longer lock GPUs, and nothing needs to be set instead. Remove it; with --reuse-values, add --set locks.namespace= (docs/commit.md says how to upgrade a release that used it)" -}}
{{- end -}}
{{- end -}}

{{/* What the election Lease of a scheduler of that name was called. */}}
{{- define "gpu-scheduler.electionLease" -}}
scheduler-leader
{{- if ne .Values.scheduler.name "gpu-scheduler" -}}
-{{ include "gpu-scheduler.shortHash" .Values.scheduler.name }}
{{- end -}}
{{- end -}}

{{/*
The first eight digits of the 64-bit FNV-1a hash of a text, as the scheduler computes it. Templates have signed numbers
and no exclusive or, so the hash is kept in two halves of 32 bits, and a byte is mixed in bit by bit:
a xor b = a + b - 2 (a and b). The prime is 2^40 + 435.
*/}}
{{- define "gpu-scheduler.shortHash" -}}
{{- $text := . -}}
{{- $word := 4294967296 -}}
{{- $high := 3421674724 -}}
{{- $low := 2216829733 -}}
{{- range $at := until (len $text) -}}
  {{- $letter := index $text $at | int64 -}}
  {{- $both := 0 -}}
  {{- range $bit := list 1 2 4 8 16 32 64 128 -}}
    {{- $both = add $both (mul $bit (mod (div $low $bit) 2) (mod (div $letter $bit) 2)) -}}
  {{- end -}}
  {{- $low = sub (add $low $letter) (mul 2 $both) -}}
  {{- $product := mul $low 435 -}}
  {{- $high = mod (add (mul $high 435) (mul $low 256) (div $product $word)) $word -}}
  {{- $low = mod $product $word -}}
{{- end -}}
{{- printf "%08x" $high -}}
{{- end -}}

{{/* The webhook's Service and Deployment; its Secrets are called after it. */}}
{{- define "gpu-scheduler.webhookName" -}}
{{- printf "%s-webhook" (include "gpu-scheduler.fullname" . | trunc 55 | trimSuffix "-") -}}
{{- end -}}

{{/* Its configuration has no namespace. Releases in one cluster have schedulers with different names. */}}
{{- define "gpu-scheduler.webhookConfiguration" -}}
{{- include "gpu-scheduler.webhookName" . -}}
{{- if ne .Values.scheduler.name "gpu-scheduler" -}}
-{{ include "gpu-scheduler.shortHash" .Values.scheduler.name }}
{{- end -}}
{{- end -}}

{{/* Non-empty: all pods of a Deployment, as `lookup` finds it, are of its last version and available. */}}
{{- define "gpu-scheduler.isRolledOut" -}}
{{- $status := .status | default dict -}}
{{- $isSeen := eq (dig "metadata" "generation" 0 . | int64) ($status.observedGeneration | int64) -}}
{{- $isNew := eq ($status.updatedReplicas | int64) ($status.replicas | int64) -}}
{{- if and . $isSeen $isNew (eq ($status.availableReplicas | int64) ($status.replicas | int64)) -}}
yes
{{- end -}}
{{- end -}}

{{/*
Where the webhook runs, as words: "sidecar", "deployment", or both. When a running release gets another placement, its pods
of the old one stay until an upgrade finds the new ones available, so that there is always one that answers.
*/}}
{{- define "gpu-scheduler.webhookPlacements" -}}
{{- $placement := .Values.webhook.placement -}}
{{- $wantsSidecar := or (eq $placement "sidecar") (and (eq $placement "auto") (not (empty .Values.webhook.caBundle))) -}}
{{- $alone := lookup "apps/v1" "Deployment" .Release.Namespace (include "gpu-scheduler.webhookName" .) -}}
{{- $scheduler := lookup "apps/v1" "Deployment" .Release.Namespace (include "gpu-scheduler.fullname" .) -}}
{{- $hasSidecar := false -}}
{{- range dig "spec" "template" "spec" "containers" list $scheduler -}}
  {{- if eq .name "webhook" }}{{ $hasSidecar = true }}{{ end -}}
{{- end -}}
{{- $isNewReady := include "gpu-scheduler.isRolledOut" (ternary $scheduler $alone $wantsSidecar) -}}
{{- if $wantsSidecar -}}
sidecar {{- if and $alone (not (and $hasSidecar $isNewReady)) }} deployment{{ end -}}
{{- else -}}
deployment {{- if and $hasSidecar (not $isNewReady) }} sidecar{{ end -}}
{{- end -}}
{{- end -}}

{{/*
The caBundle of a release whose first chart set it, as it is now. The webhook sets it today, but Helm would take away what it
once set, and API servers would not believe the webhook until it has set it again.
*/}}
{{- define "gpu-scheduler.bundleOfHelm" -}}
{{- $name := include "gpu-scheduler.webhookConfiguration" . -}}
{{- $live := lookup "admissionregistration.k8s.io/v1" "MutatingWebhookConfiguration" "" $name -}}
{{- $isHelms := hasKey (dig "metadata" "annotations" dict $live) "gpu.scheduling/ca-bundle" -}}
{{- range dig "metadata" "managedFields" list $live -}}
  {{- if and (eq .manager "helm") (contains "f:caBundle" (toJson .fieldsV1)) }}{{ $isHelms = true }}{{ end -}}
{{- end -}}
{{- if $isHelms }}{{ dig "clientConfig" "caBundle" "" (first $live.webhooks) }}{{ end -}}
{{- end -}}

{{/* Non-empty: the webhook is a container beside the scheduler. */}}
{{- define "gpu-scheduler.webhookIsSidecar" -}}
{{- if and .Values.webhook.enabled (contains "sidecar" (include "gpu-scheduler.webhookPlacements" .)) -}}
yes
{{- end -}}
{{- end -}}

{{/* Non-empty: the webhook has pods of its own. */}}
{{- define "gpu-scheduler.webhookIsAlone" -}}
{{- if and .Values.webhook.enabled (contains "deployment" (include "gpu-scheduler.webhookPlacements" .)) -}}
yes
{{- end -}}
{{- end -}}

{{/* Which pods are the webhook's own. */}}
{{- define "gpu-scheduler.webhookSelectorLabels" -}}
app.kubernetes.io/name: gpu-scheduler-webhook
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{/* Which pods the Service leads to. Where both placements run, those of this release that have its port. */}}
{{- define "gpu-scheduler.webhookServiceLabels" -}}
{{- $isSidecar := include "gpu-scheduler.webhookIsSidecar" . -}}
{{- if and $isSidecar (include "gpu-scheduler.webhookIsAlone" .) -}}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- else if $isSidecar -}}
{{ include "gpu-scheduler.selectorLabels" . }}
{{- else -}}
{{ include "gpu-scheduler.webhookSelectorLabels" . }}
{{- end -}}
{{- end -}}

{{/* The accounts that it runs with, as subjects of a binding. */}}
{{- define "gpu-scheduler.webhookSubjects" -}}
{{- if include "gpu-scheduler.webhookIsAlone" . -}}
- kind: ServiceAccount
  name: {{ include "gpu-scheduler.webhookName" . }}
  namespace: {{ .Release.Namespace | quote }}
{{ end -}}
{{- if include "gpu-scheduler.webhookIsSidecar" . -}}
- kind: ServiceAccount
  name: {{ include "gpu-scheduler.fullname" . }}
  namespace: {{ .Release.Namespace | quote }}
{{ end -}}
{{- end -}}

{{- define "gpu-scheduler.webhookLabels" -}}
app.kubernetes.io/name: gpu-scheduler-webhook
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: webhook
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
app: gpu-scheduler-webhook
{{- end -}}

{{/* The webhook as a container, in whichever pod. */}}
{{- define "gpu-scheduler.webhookContainer" -}}
{{- $isInjected := and (eq .Values.webhook.certificates "cert-manager") (not .Values.webhook.caBundle) -}}
- name: webhook
  image: {{ printf "%s:%s" .Values.image.repository .Values.image.tag | quote }}
  imagePullPolicy: {{ .Values.image.pullPolicy }}
  command: [gpu-scheduler-webhook]
  args:
  - --listen=0.0.0.0:8443
  - --scheduler-name={{ .Values.scheduler.name }}
  - --handover={{ .Values.webhook.handover }}
  - --gpu-taint={{ .Values.webhook.gpuTaint }}
  - --namespace={{ .Release.Namespace }}
  - --service={{ include "gpu-scheduler.webhookName" . }}
  - --certificates={{ .Values.webhook.certificates }}
  {{- with .Values.webhook.secretName }}
  - --secret={{ . }}
  {{- end }}
  {{- if not $isInjected }}
  - --configuration={{ include "gpu-scheduler.webhookConfiguration" . }}
  {{- end }}
  {{- with .Values.webhook.caBundle }}
  - --ca-bundle={{ . }}
  {{- end }}
  - --certificate-lifetime={{ .Values.webhook.certificateLifetime }}
  - --log-format={{ .Values.log.format }}
  - --log-level={{ .Values.log.level }}
  ports:
  - name: https
    containerPort: 8443
  livenessProbe:
    httpGet:
      path: /health
      port: https
      scheme: HTTPS
    periodSeconds: 10
    timeoutSeconds: 5
  readinessProbe:
    httpGet:
      path: /ready
      port: https
      scheme: HTTPS
    periodSeconds: 2
    timeoutSeconds: 5
  {{- with .Values.webhook.resources }}
  resources:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  securityContext:
    allowPrivilegeEscalation: false
    readOnlyRootFilesystem: true
    capabilities:
      drop: [ALL]
{{- end -}}

{{/* Of the pod that helm test makes: it is no scheduler, and no Service leads to it. */}}
{{- define "gpu-scheduler.testLabels" -}}
app.kubernetes.io/name: gpu-scheduler-test
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: test
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}
