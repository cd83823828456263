{{/* The affinity that a user gave, on nodes that can run the image. Terms are alternatives, so each of them says it. */}}
{{- define "gpu-scheduler.affinity" -}}
{{- $affinity := deepCopy (. | default dict) -}}
{{- $architecture := dict "key" "kubernetes.io/arch" "operator" "In" "values" (list "amd64") -}}
{{- $nodes := $affinity.nodeAffinity | default dict -}}
{{- $required := $nodes.requiredDuringSchedulingIgnoredDuringExecution | default dict -}}
{{- $terms := list -}}
{{- range $required.nodeSelectorTerms | default (list dict) -}}
  {{- $terms = append $terms (merge (dict "matchExpressions" (append (.matchExpressions | default list) $architecture)) .) -}}
{{- end -}}
{{- $_ := set $nodes "requiredDuringSchedulingIgnoredDuringExecution" (dict "nodeSelectorTerms" $terms) -}}
{{- $_ := set $affinity "nodeAffinity" $nodes -}}
{{- toYaml $affinity -}}
{{- end -}}

{{/* Replicas on different nodes and in different zones, where there are any. Takes the labels that choose them. */}}
{{- define "gpu-scheduler.spread" -}}
{{- $labels := . -}}
{{- range $key := list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
- maxSkew: 1
  topologyKey: {{ $key }}
  whenUnsatisfiable: ScheduleAnyway
  labelSelector:
    matchLabels:
      {{- $labels | nindent 6 }}
  # Those of the version before are about to go.
  matchLabelKeys: [pod-template-hash]
{{- end }}
{{- end -}}
