{{- define "gpu-scheduler.agentName" -}}
{{- printf "%s-agent" (include "gpu-scheduler.fullname" . | trunc 57 | trimSuffix "-") -}}
{{- end -}}

{{/* Names without a namespace: another namespace may hold a release that is called the same. */}}
{{- define "gpu-scheduler.agentClusterName" -}}
{{- printf "%s-%s" (include "gpu-scheduler.agentName" .) .Release.Namespace -}}
{{- end -}}

{{/* Which pods are agents. A DaemonSet cannot change this later. */}}
{{- define "gpu-scheduler.agentSelectorLabels" -}}
app.kubernetes.io/name: gpu-scheduler-agent
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "gpu-scheduler.agentLabels" -}}
{{ include "gpu-scheduler.agentSelectorLabels" . }}
app.kubernetes.io/component: agent
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
app: gpu-scheduler-agent
{{- end -}}
