{{- define "glacis.labels" -}}
app.kubernetes.io/name: glacis
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "glacis.selector" -}}
app.kubernetes.io/name: glacis
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "glacis.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "glacis.environment" -}}
envFrom:
  - configMapRef: { name: {{ .Release.Name }}-settings }
  - secretRef: { name: {{ .Values.database.existingSecret }} }
  {{- with .Values.extraSecret }}
  - secretRef: { name: {{ . }} }
  {{- end }}
{{- end }}

{{- define "glacis.podSecurity" -}}
runAsNonRoot: true
{{- with .Values.fsGroup }}
fsGroup: {{ . }}
{{- end }}
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "glacis.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{- define "glacis.mounts" -}}
- { name: data, mountPath: /data }
- { name: tmp, mountPath: /tmp }
{{- end }}

{{- define "glacis.volumes" -}}
- name: tmp
  emptyDir: {}
- name: data
  {{- if .Values.persistence.enabled }}
  persistentVolumeClaim: { claimName: {{ .Release.Name }}-data }
  {{- else }}
  emptyDir: {}
  {{- end }}
{{- end }}
