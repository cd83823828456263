{{/* What this release's objects are called. Installed as gpu-scheduler-check they are called that and nothing longer. */}}
{{- define "gpu-scheduler-check.fullname" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 52 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Which pods are this release's. A StatefulSet cannot change this later. */}}
{{- define "gpu-scheduler-check.selectorLabels" -}}
app.kubernetes.io/name: gpu-scheduler-check
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "gpu-scheduler-check.labels" -}}
{{ include "gpu-scheduler-check.selectorLabels" . }}
app.kubernetes.io/component: test-service
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
app: gpu-scheduler-check
{{- end -}}

{{/* Fails on a map that the scheduler would refuse, or that leaves a pod without a line. */}}
{{- define "gpu-scheduler-check.checkMap" -}}
{{- $seen := dict -}}
{{- range .Values.gpuScheduling.schedulingMap -}}
  {{- $index := .podIndex | int | toString -}}
  {{- $where := printf "gpuScheduling.schedulingMap, podIndex %s" $index -}}
  {{- if hasKey $seen $index -}}
    {{- fail (printf "%s: is there twice; give every pod one entry" $where) -}}
  {{- end -}}
  {{- $_ := set $seen $index true -}}
  {{- $ids := .gpuDevices | toString -}}
  {{- if not (regexMatch "^[0-9]+(-[0-9]+)?(,[0-9]+(-[0-9]+)?)*$" $ids) -}}
    {{- fail (printf "%s: gpuDevices %q are no GPU ids; write them as 0,1 or 4-7" $where $ids) -}}
  {{- end -}}
  {{- $given := dict -}}
  {{- range $part := splitList "," $ids -}}
    {{- $ends := splitList "-" $part -}}
    {{- $first := first $ends | int -}}
    {{- $last := last $ends | int -}}
    {{- if gt $first $last -}}
      {{- fail (printf "%s: gpuDevices %q: the range %s runs backwards" $where $ids $part) -}}
    {{- end -}}
    {{- if gt $last 1023 -}}
      {{- fail (printf "%s: gpuDevices %q: no node has a GPU %d" $where $ids $last) -}}
    {{- end -}}
    {{- range $id := untilStep $first (add1 $last | int) 1 -}}
      {{- if hasKey $given (toString $id) -}}
        {{- fail (printf "%s: gpuDevices %q: GPU %d is listed twice" $where $ids $id) -}}
      {{- end -}}
      {{- $_ := set $given (toString $id) true -}}
    {{- end -}}
  {{- end -}}
{{- end -}}
{{- range $index := until (len $seen) -}}
  {{- if not (hasKey $seen (toString $index)) -}}
    {{- fail (printf "gpuScheduling.schedulingMap: there is no podIndex %d; indices count from 0 without a gap, because there is one pod per entry" $index) -}}
  {{- end -}}
{{- end -}}
{{- end -}}

{{/* The map as the scheduler reads it: a line per pod. */}}
{{- define "gpu-scheduler-check.map" -}}
{{- range .Values.gpuScheduling.schedulingMap }}
{{ .podIndex | int }}={{ .nodeName }}:{{ .gpuDevices }}
{{- end }}
{{- end -}}
