{{/* What all children have in common: (dict "root" $ "name" "gpu-scheduler" "component" "scheduler" "wave" 1) */}}
{{- define "apps.head" -}}
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: {{ .root.Values.cluster.prefix }}{{ .name }}
  namespace: {{ .root.Release.Namespace }}
  labels:
    app.kubernetes.io/part-of: gpu-scheduler
    component: {{ .component }}
  annotations:
    argocd.argoproj.io/sync-wave: {{ .wave | quote }}
  finalizers: [resources-finalizer.argocd.argoproj.io]
{{- end -}}

{{/* Where a child comes from, but for its path. */}}
{{- define "apps.source" -}}
repoURL: {{ .Values.source.repoURL | quote }}
targetRevision: {{ .Values.source.targetRevision | quote }}
{{- end -}}

{{/* Options of all children; more can follow. */}}
{{- define "apps.syncPolicy" -}}
automated: {prune: true, selfHeal: true, allowEmpty: false}
retry:
  {{- toYaml .Values.retry | nindent 2 }}
syncOptions:
- CreateNamespace=true
- PrunePropagationPolicy=foreground
- ApplyOutOfSyncOnly=true
- ServerSideApply=true
{{- end -}}
