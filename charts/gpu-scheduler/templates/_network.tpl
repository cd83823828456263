{{/*
One NetworkPolicy: a dict of root, name, labels, selector, metricsPort, webhookPort where API servers call, and asksWebhook
where it is asked whether the webhook is there. Kubelets probe their own pods past all policies.
*/}}
{{- define "gpu-scheduler.networkPolicy" -}}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: {{ .name }}
  namespace: {{ .root.Release.Namespace | quote }}
  labels:
    {{- .labels | nindent 4 }}
spec:
  podSelector:
    matchLabels:
      {{- .selector | nindent 6 }}
  policyTypes: [Ingress, Egress]
  ingress:
  {{- if .webhookPort }}
  # API servers are no pods, so nothing else can be said about them.
  - ports:
    - port: {{ .webhookPort }}
  {{- end }}
  {{- if .metricsPort }}
  - ports:
    - port: {{ .metricsPort }}
    {{- with .root.Values.networkPolicy.metricsFrom }}
    from:
      {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- end }}
  egress:
  - ports:
    {{- range .root.Values.networkPolicy.apiServerPorts }}
    - port: {{ . }}
    {{- end }}
  {{- if .asksWebhook }}
  - to:
    - podSelector:
        matchLabels:
          {{- include "gpu-scheduler.webhookServiceLabels" .root | nindent 10 }}
    ports:
    - port: https
  {{- end }}
  - ports:
    - port: 53
      protocol: UDP
    - port: 53
{{- end -}}
