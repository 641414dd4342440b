{{/* Refuses values that do not go together, which no schema can do. Each message names the value and the rule. */}}
{{- define "bloomguard.validate" -}}
{{- range $name, $filter := .Values.filters -}}
{{- if not (regexMatch "^[a-z][a-z0-9]*(-[a-z0-9]+)*$" $name) -}}
{{- fail (printf "filters.%s is no name of a filter: use lower-case words joined by dashes, such as order-items." $name) -}}
{{- end -}}
{{- end -}}

{{- $fullname := include "bloomguard.fullname" . -}}
{{- if not (regexMatch "^[a-z][-a-z0-9]*$" $fullname) -}}
{{- fail (printf "%s, made of the release's name, is no name of a Service, which begins with a letter and has letters, digits and dashes only: set fullnameOverride." $fullname) -}}
{{- end -}}

{{- $unshared := include "bloomguard.unshared" . -}}
{{- $replicas := int (include "bloomguard.maxReplicas" .) -}}
{{- $replicasValue := ternary "autoscaling.maxReplicas" "replicaCount" .Values.autoscaling.enabled -}}

{{- if and $unshared (gt $replicas 1) (not .Values.allowUnsharedReplicas) -}}
{{- fail (printf "%s is %d, but must be 1 while a filter is local to each pod (%s): a key added at one pod would be rejected at the others. Set backend to redis, or allowUnsharedReplicas to true where no key is added after the start." $replicasValue $replicas $unshared) -}}
{{- end -}}

{{- if and .Values.autoscaling.enabled (lt (int .Values.autoscaling.maxReplicas) (int .Values.autoscaling.minReplicas)) -}}
{{- fail (printf "autoscaling.maxReplicas is %d, but must be at least autoscaling.minReplicas, which is %d." (int .Values.autoscaling.maxReplicas) (int .Values.autoscaling.minReplicas)) -}}
{{- end -}}

{{- $ways := list -}}
{{- if .Values.redis.host -}}{{- $ways = append $ways "redis.host" -}}{{- end -}}
{{- if .Values.redis.sentinel.nodes -}}{{- $ways = append $ways "redis.sentinel.nodes" -}}{{- end -}}
{{- if .Values.redis.cluster.nodes -}}{{- $ways = append $ways "redis.cluster.nodes" -}}{{- end -}}
{{- if and (include "bloomguard.usesRedis" .) (ne (len $ways) 1) -}}
{{- fail (printf "one of redis.host, redis.sentinel.nodes and redis.cluster.nodes must be set where backend, or a filter's, is redis; set are: %s." (default "none" (join ", " $ways))) -}}
{{- end -}}
{{- if and $ways (not (include "bloomguard.usesRedis" .)) -}}
{{- fail (printf "%s is set, but no filter uses Redis: set backend, or a filter's, to redis, or leave it out." (first $ways)) -}}
{{- end -}}
{{- if and .Values.redis.sentinel.nodes (not .Values.redis.sentinel.master) -}}
{{- fail "redis.sentinel.master is empty, but must name the master that redis.sentinel.nodes watch." -}}
{{- end -}}

{{- if and .Values.auth.existingSecret (not .Values.auth.enabled) -}}
{{- fail "auth.existingSecret is set, but auth.enabled is false: set that to true, or leave the Secret out." -}}
{{- end -}}

{{- if and .Values.database.existingSecret (not .Values.database.url) -}}
{{- fail "database.url is empty, but must be a JDBC URL where database.existingSecret is set." -}}
{{- end -}}
{{- range $name, $filter := .Values.filters -}}
{{- if and (hasKey (default dict $filter.source) "jdbc") (not $.Values.database.url) -}}
{{- fail (printf "database.url is empty, but must be a JDBC URL where filters.%s.source.jdbc is set." $name) -}}
{{- end -}}
{{- end -}}

{{- include "bloomguard.validateConfig" (dict "path" "config" "value" .Values.config) -}}
{{- include "bloomguard.refuseSecret" (dict "path" "database.url" "property" "spring.datasource.url" "value" .Values.database.url) -}}

{{- if and .Values.ingress.enabled (not .Values.ingress.hosts) -}}
{{- fail "ingress.hosts is empty, but must name a host where ingress.enabled is true." -}}
{{- end -}}
{{- end -}}
