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

{{/* Non-empty: the webhook is a container beside the scheduler. */}}
{{- define "gpu-scheduler.webhookIsSidecar" -}}
{{- $placement := .Values.webhook.placement -}}
{{- if and .Values.webhook.enabled (or (eq $placement "sidecar") (and (eq $placement "auto") .Values.webhook.caBundle)) -}}
yes
{{- end -}}
{{- end -}}

{{- define "gpu-scheduler.webhookAccount" -}}
{{- if include "gpu-scheduler.webhookIsSidecar" . -}}
{{ include "gpu-scheduler.fullname" . }}
{{- else -}}
{{ include "gpu-scheduler.webhookName" . }}
{{- end -}}
{{- end -}}

{{/* Which pods the Service leads to. */}}
{{- define "gpu-scheduler.webhookSelectorLabels" -}}
{{- if include "gpu-scheduler.webhookIsSidecar" . -}}
{{ include "gpu-scheduler.selectorLabels" . }}
{{- else -}}
app.kubernetes.io/name: gpu-scheduler-webhook
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}
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
{{- $isTold := or .Values.webhook.caBundle (eq .Values.webhook.certificates "cert-manager") -}}
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
  {{- if not $isTold }}
  - --configuration={{ include "gpu-scheduler.webhookConfiguration" . }}
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
