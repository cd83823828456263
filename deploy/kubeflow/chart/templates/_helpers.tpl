{{/* The preset's file as a dict. */}}
{{- define "kubeflow.preset" -}}
{{- $text := .Files.Get (printf "presets/%s.yaml" .Values.preset) -}}
{{- if not $text -}}
  {{- $there := list -}}
  {{- range $path, $_ := .Files.Glob "presets/*.yaml" }}{{ $there = append $there (base $path | trimSuffix ".yaml") }}{{ end -}}
  {{- fail (printf "preset: there is no %q; there are %s" .Values.preset (join ", " $there)) -}}
{{- end -}}
{{- $text -}}
{{- end -}}

{{/* All Applications, enabled or not: the preset's with what the values change of them, then the values' own, then the scheduler. */}}
{{- define "kubeflow.apps" -}}
{{- $changes := dict -}}
{{- range .Values.apps }}{{ $_ := set $changes .name . }}{{ end -}}
{{- $apps := list -}}
{{- range (include "kubeflow.preset" . | fromYaml).apps -}}
  {{- $apps = append $apps (mergeOverwrite (deepCopy .) (get $changes .name | default dict)) -}}
  {{- $_ := unset $changes .name -}}
{{- end -}}
{{- range .Values.apps -}}
  {{- if hasKey $changes .name -}}
    {{- if not .sources }}{{ fail (printf "apps: the preset has no %q, so it needs sources; is it a typo?" .name) }}{{ end -}}
    {{- $apps = append $apps . -}}
  {{- end -}}
{{- end -}}
{{- if .Values.gpuScheduler.enabled -}}
  {{- $source := dict "path" "charts/gpu-scheduler" "of" "project"
      "helm" (dict "releaseName" "gpu-scheduler" "valuesObject" .Values.gpuScheduler.values) -}}
  {{- $apps = append $apps (dict "name" "kubeflow-gpu-scheduler" "wave" .Values.gpuScheduler.wave
      "namespace" "gpu-scheduler-system" "sources" (list $source)
      "syncOptions" (list "RespectIgnoreDifferences=true")
      "ignoreDifferences" (list
        (dict "group" "admissionregistration.k8s.io" "kind" "MutatingWebhookConfiguration"
              "jqPathExpressions" (list ".webhooks[].clientConfig.caBundle"))
        (dict "kind" "Secret" "name" "gpu-scheduler-webhook-self" "jsonPointers" (list "/data")))) -}}
{{- end -}}
{{- dict "apps" $apps | toYaml -}}
{{- end -}}

{{/* Kustomize's patches of a source: (dict "source" . "root" $) */}}
{{- define "kubeflow.patches" -}}
{{- if .source.podSecurity }}
- target: {kind: Namespace, name: {{ .source.podSecurity }}}
  patch: |-
    apiVersion: v1
    kind: Namespace
    metadata:
      name: {{ .source.podSecurity }}
      labels:
        pod-security.kubernetes.io/enforce: {{ .root.Values.podSecurity }}
{{- end }}
{{- if .source.keep }}
- target: {kind: {{ .source.keep }}}
  patch: |-
    apiVersion: kubeflow.org/v1
    kind: {{ .source.keep }}
    metadata:
      name: any
      annotations:
        argocd.argoproj.io/sync-options: Prune=false,Delete=false
{{- end }}
{{- end -}}

{{/* One source of an Application: (dict "source" . "root" $) */}}
{{- define "kubeflow.source" -}}
{{- $source := .source -}}
{{- if $source.repoURL -}}
{{ toYaml $source }}
{{- else -}}
{{- $isOurs := eq ($source.of | default "manifests") "project" -}}
{{- $from := ternary .root.Values.project .root.Values.manifests $isOurs -}}
repoURL: {{ $from.repoURL }}
targetRevision: {{ $from.targetRevision | default (include "kubeflow.preset" .root | fromYaml).revision | toString | quote }}
path: {{ $source.path }}
{{- with $source.helm }}
helm:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- $patches := include "kubeflow.patches" . | trim -}}
{{- if or (hasKey $source "wave") $patches }}
kustomize:
  {{- if hasKey $source "wave" }}
  commonAnnotations:
    argocd.argoproj.io/sync-wave: {{ $source.wave | toString | quote }}
  {{- end }}
  {{- with $patches }}
  patches:
  {{- . | nindent 2 }}
  {{- end }}
{{- end }}
{{- end -}}
{{- end -}}
