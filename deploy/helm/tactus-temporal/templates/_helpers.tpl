{{/* What this chart makes is named after the release. */}}
{{- define "tactus.name" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Labels by which pods are selected. Call it with (list . "worker"). */}}
{{- define "tactus.selector" -}}
{{- $root := index . 0 -}}
app.kubernetes.io/name: {{ $root.Chart.Name }}
app.kubernetes.io/instance: {{ $root.Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end -}}

{{- define "tactus.labels" -}}
{{- $root := index . 0 -}}
{{ include "tactus.selector" . }}
app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" $root.Chart.Name $root.Chart.Version }}
{{- end -}}

{{- define "tactus.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{/* .tactus/config.yml: what the values say, and what this chart sees to itself. */}}
{{- define "tactus.configuration" -}}
{{- $name := include "tactus.name" . -}}
{{- $hosts := list (printf "%s-serve" $name) (printf "%s-serve.%s" $name .Release.Namespace) (printf "%s-serve.%s.svc" $name .Release.Namespace) -}}
{{- $own := dict
  "worker" (dict "grace_period" (printf "%ds" (int .Values.worker.gracePeriod)))
  "server" (dict "host" "0.0.0.0" "hosts" (concat $hosts .Values.serve.hosts) "procedures" (list "/srv/procedures") "audit" "/srv/state/audit.jsonl" "drain_delay" "5s")
-}}
{{- mergeOverwrite (deepCopy .Values.configuration) $own | toYaml -}}
{{- end -}}

{{/* The pods of worker and serve differ in what they run. Call it with (dict "root" . "component" "worker" "args" … "grace" 45 "port" … "data" …). */}}
{{- define "tactus.pod" -}}
{{- $root := .root -}}
{{- $values := index $root.Values .component -}}
metadata:
  labels:
    {{- include "tactus.labels" (list $root .component) | nindent 4 }}
  annotations:
    # Pods begin anew with another configuration.
    checksum/configuration: {{ include "tactus.configuration" $root | sha256sum }}
spec:
  serviceAccountName: {{ include "tactus.name" $root }}
  automountServiceAccountToken: false
  {{- with $root.Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 1000
    runAsGroup: 1000
    fsGroup: 1000
    seccompProfile:
      type: RuntimeDefault
  terminationGracePeriodSeconds: {{ .grace }}
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "tactus.selector" (list $root .component) | nindent 10 }}
  containers:
    - name: {{ .component }}
      image: {{ include "tactus.image" $root }}
      imagePullPolicy: {{ $root.Values.image.pullPolicy }}
      args:
        {{- toYaml .args | nindent 8 }}
      env:
        {{- $address := required "temporal.address must be set, such as temporal-frontend.temporal:7233" $root.Values.temporal.address }}
        {{- if not (and (eq .component "worker") $root.Values.worker.versions.enabled) }}
        # The Worker Controller sets both, and others, for the workers that it starts.
        - name: TEMPORAL_ADDRESS
          value: {{ $address | quote }}
        - name: TEMPORAL_NAMESPACE
          value: {{ $root.Values.temporal.namespace | quote }}
        {{- end }}
        - name: TACTUS_TEMPORAL_METRICS
          value: 0.0.0.0:9464
        - name: NODE_OPTIONS
          value: --max-old-space-size={{ $values.heap }}
        {{- range $name, $value := $root.Values.env }}
        - name: {{ $name }}
          value: {{ $value | quote }}
        {{- end }}
      {{- with $root.Values.secrets }}
      envFrom:
        {{- range . }}
        - secretRef:
            name: {{ . }}
        {{- end }}
      {{- end }}
      ports:
        - name: {{ .port.name }}
          containerPort: {{ .port.number }}
        - name: metrics
          containerPort: 9464
      # Nothing else shows that it hangs. A worker that takes long to begin is not restarted before two minutes.
      startupProbe:
        httpGet: { path: /livez, port: {{ .port.name }} }
        periodSeconds: 2
        failureThreshold: 60
      livenessProbe:
        httpGet: { path: /livez, port: {{ .port.name }} }
        periodSeconds: 10
        timeoutSeconds: 3
      readinessProbe:
        httpGet: { path: /readyz, port: {{ .port.name }} }
        periodSeconds: 5
        timeoutSeconds: 3
      resources:
        {{- toYaml $values.resources | nindent 8 }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities:
          drop: [ALL]
      volumeMounts:
        - name: configuration
          mountPath: /srv/tactus/.tactus
          readOnly: true
        - name: procedures
          mountPath: /srv/procedures
          readOnly: true
        - name: data
          mountPath: {{ .data.path }}
        - name: tmp
          mountPath: /tmp
  volumes:
    - name: configuration
      configMap:
        name: {{ include "tactus.name" $root }}
    - name: procedures
      {{- if $root.Values.procedures.configMap }}
      configMap:
        name: {{ $root.Values.procedures.configMap }}
      {{- else if $root.Values.procedures.volume }}
      {{- toYaml $root.Values.procedures.volume | nindent 6 }}
      {{- else }}
      {{- fail "procedures.configMap or procedures.volume must say where procedures are" }}
      {{- end }}
    - name: data
      {{- toYaml (.data.volume | default (dict "emptyDir" dict)) | nindent 6 }}
    - name: tmp
      emptyDir: {}
  {{- with $values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}

{{- define "tactus.workerPod" -}}
{{- include "tactus.pod" (dict
  "root" .
  "component" "worker"
  "args" (list "worker" "--procedures" "/srv/procedures" "--task-queue" .Values.temporal.taskQueue)
  "grace" (add .Values.worker.gracePeriod 15)
  "port" (dict "name" "health" "number" 8701)
  "data" (dict "path" "/srv/files" "volume" .Values.worker.files)
) -}}
{{- end -}}
