{{/* The name of most objects, also of the Service: begins with a letter, has no dot, leaves room for "-management". */}}
{{- define "bloomguard.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 50 | trimAll "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 50 | trimAll "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 50 | trimAll "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "bloomguard.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 50 | trimAll "-" -}}
{{- end -}}

{{/* The labels that name the chart's objects, without their component. */}}
{{- define "bloomguard.instanceLabels" -}}
app.kubernetes.io/name: {{ include "bloomguard.name" . | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end -}}

{{/* The labels that select the server's pods, and not the test's. */}}
{{- define "bloomguard.selectorLabels" -}}
{{ include "bloomguard.instanceLabels" . }}
app.kubernetes.io/component: server
{{- end -}}

{{/* The labels that select the test's pod. */}}
{{- define "bloomguard.testLabels" -}}
{{ include "bloomguard.instanceLabels" . }}
app.kubernetes.io/component: test
{{- end -}}

{{/* The labels that every object carries beside them. */}}
{{- define "bloomguard.commonLabels" -}}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service | quote }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | quote }}
{{- end -}}

{{- define "bloomguard.labels" -}}
{{ include "bloomguard.selectorLabels" . }}
{{ include "bloomguard.commonLabels" . }}
{{- end -}}

{{- define "bloomguard.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "bloomguard.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "bloomguard.image" -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) -}}
{{- end -}}
{{- end -}}

{{/* The pod's and the container's part of the Pod Security Standard "restricted". */}}
{{- define "bloomguard.podSecurity" -}}
runAsNonRoot: true
runAsUser: {{ .Values.runAsUser | int64 }}
runAsGroup: {{ .Values.runAsUser | int64 }}
fsGroup: {{ .Values.runAsUser | int64 }}
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "bloomguard.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{/* The Secret with the operator's password. */}}
{{- define "bloomguard.authSecret" -}}
{{- default (printf "%s-operator" (include "bloomguard.fullname" .)) .Values.auth.existingSecret -}}
{{- end -}}

{{/* The Secret with the secret of the hash, nothing if the server takes it from elsewhere or needs none. */}}
{{- define "bloomguard.hashSecret" -}}
{{- if .Values.hashSecret.existingSecret -}}
{{- .Values.hashSecret.existingSecret -}}
{{- else if include "bloomguard.makesHashSecret" . -}}
{{- printf "%s-hash" (include "bloomguard.fullname" .) -}}
{{- end -}}
{{- end -}}

{{/* Whether the chart makes that Secret: "true" or nothing. */}}
{{- define "bloomguard.makesHashSecret" -}}
{{- $given := or .Values.hashSecret.existingSecret (include "bloomguard.hasEnv" (dict "root" . "name" "BLOOMGUARD_HASHSECRET")) -}}
{{- if and (include "bloomguard.usesRedis" .) (not $given) -}}true{{- end -}}
{{- end -}}

{{/* Whether extraEnv sets the variable "name": "true" or nothing. It goes before the chart's own value. */}}
{{- define "bloomguard.hasEnv" -}}
{{- $has := false -}}
{{- range .root.Values.extraEnv -}}
{{- if eq .name $.name -}}{{- $has = true -}}{{- end -}}
{{- end -}}
{{- if $has -}}true{{- end -}}
{{- end -}}

{{/* Whether the chart sets the password: "true" or nothing. */}}
{{- define "bloomguard.setsPassword" -}}
{{- if and .Values.auth.enabled (not (include "bloomguard.hasEnv" (dict "root" . "name" "SPRING_SECURITY_USER_PASSWORD"))) -}}true{{- end -}}
{{- end -}}

{{/* The most pods that may run at once. */}}
{{- define "bloomguard.maxReplicas" -}}
{{- if .Values.autoscaling.enabled -}}
{{- .Values.autoscaling.maxReplicas -}}
{{- else -}}
{{- .Values.replicaCount -}}
{{- end -}}
{{- end -}}

{{/* The filters that each pod keeps for itself, joined by commas; without any, the demo's. */}}
{{- define "bloomguard.unshared" -}}
{{- $names := list -}}
{{- range $name, $filter := .Values.filters -}}
{{- if eq (default $.Values.backend $filter.backend) "local" -}}
{{- $names = append $names $name -}}
{{- end -}}
{{- end -}}
{{- if and (not .Values.filters) (eq .Values.backend "local") -}}
{{- $names = list "products" -}}
{{- end -}}
{{- join ", " $names -}}
{{- end -}}

{{/* Whether a filter is in Redis: "true" or nothing. */}}
{{- define "bloomguard.usesRedis" -}}
{{- $uses := eq .Values.backend "redis" -}}
{{- range $name, $filter := .Values.filters -}}
{{- if hasPrefix "redis" (default "" $filter.backend) -}}
{{- $uses = true -}}
{{- end -}}
{{- end -}}
{{- if $uses -}}true{{- end -}}
{{- end -}}

{{/* The server's application.yml: the values, overlaid with .Values.config. */}}
{{- define "bloomguard.config" -}}
{{- $spring := dict -}}
{{- if include "bloomguard.usesRedis" . -}}
{{- $redis := dict -}}
{{- with .Values.redis -}}
{{- if .host -}}
{{- $redis = dict "host" .host "port" .port -}}
{{- else if .sentinel.nodes -}}
{{- $redis = dict "sentinel" .sentinel -}}
{{- else -}}
{{- $redis = dict "cluster" (dict "nodes" .cluster.nodes) -}}
{{- end -}}
{{- if .ssl -}}
{{- $_ := set $redis "ssl" (dict "enabled" true) -}}
{{- end -}}
{{- end -}}
{{- $_ := set $spring "data" (dict "redis" $redis) -}}
{{- end -}}
{{- if .Values.database.url -}}
{{- $_ := set $spring "datasource" (dict "url" .Values.database.url) -}}
{{- end -}}
{{- $health := dict "probes" (dict "add-additional-paths" true) -}}
{{- if .Values.readiness.includeFilters -}}
{{- $group := dict "include" "readinessState,bloomguard" "show-components" "never" "show-details" "never" -}}
{{- $_ := set $health "group" (dict "readiness" $group) -}}
{{- end -}}
{{- $own := dict "backend" .Values.backend -}}
{{- /* An empty map would be the property bloomguard.filters with an empty text. */ -}}
{{- if .Values.filters -}}
{{- $_ := set $own "filters" .Values.filters -}}
{{- end -}}
{{- if .Values.gateway -}}
{{- $_ := set $own "gateway" .Values.gateway -}}
{{- end -}}
{{- $tree := dict "bloomguard" $own "management" (dict "endpoint" (dict "health" $health)) -}}
{{- if $spring -}}
{{- $_ := set $tree "spring" $spring -}}
{{- end -}}
{{- mergeOverwrite $tree (deepCopy .Values.config) | toYaml -}}
{{- end -}}
