{{/*
Refuses in .Values.config properties that have a value in the chart, and secrets, because it becomes a ConfigMap. Takes a
node of it, "value", and its "path". As for Spring, case, dashes and underscores do not matter, nor whether levels are nested,
joined by dots or in brackets.
*/}}
{{- define "bloomguard.validateConfig" -}}
{{- $path := .path -}}
{{- $property := regexReplaceAll "[-_\\]]" (lower .path) "" | replace "[" "." -}}
{{- $property = regexReplaceAll "[.]+" $property "." | trimPrefix "config" | trimPrefix "." -}}
{{- range $own, $value := dict "bloomguard.backend" "backend" "bloomguard.filters" "filters" "bloomguard.gateway" "gateway" "bloomguard.hashsecret" "hashSecret.existingSecret" "management.server.port" "management.port" -}}
{{- if or (eq $property $own) (hasPrefix (printf "%s." $own) $property) -}}
{{- fail (printf "%s is set, but belongs into the value %s." $path $value) -}}
{{- end -}}
{{- end -}}
{{- if eq $property "server.port" -}}
{{- fail (printf "%s is set, but the container always listens on 8080: set service.port." $path) -}}
{{- end -}}
{{- if kindIs "map" .value -}}
{{- range $key, $value := .value -}}
{{- include "bloomguard.validateConfig" (dict "path" (printf "%s.%s" $path $key) "value" $value) -}}
{{- end -}}
{{- else if kindIs "slice" .value -}}
{{- range $index, $value := .value -}}
{{- include "bloomguard.validateConfig" (dict "path" (printf "%s[%d]" $path $index) "value" $value) -}}
{{- end -}}
{{- else -}}
{{- include "bloomguard.refuseSecret" (dict "path" $path "property" $property "value" .value) -}}
{{- end -}}
{{- end -}}

{{/*
Refuses a single "value" that is a secret by the name of its "property", or has one in it: an address with a password, a private
key. A text that only names a variable, ${...} without a default, is no secret. No message repeats the value.
*/}}
{{- define "bloomguard.refuseSecret" -}}
{{- $text := "" -}}
{{- if not (or (kindIs "bool" .value) (kindIs "invalid" .value)) -}}
{{- $text = regexReplaceAll "[$][{][^:}]*[}]" (toString .value) "" -}}
{{- end -}}
{{- $way := "give it by extraEnv, with a secretKeyRef" -}}
{{- if hasPrefix "spring.data.redis." .property -}}
{{- if or (eq .property "spring.data.redis.password") (eq .property "spring.data.redis.url") -}}
{{- $way = "name a Secret in redis.existingSecret" -}}
{{- end -}}
{{- else if hasPrefix "spring.datasource." .property -}}
{{- $way = "name a Secret in database.existingSecret" -}}
{{- else if eq .property "spring.security.user.password" -}}
{{- $way = "name a Secret in auth.existingSecret" -}}
{{- else if hasPrefix "bloomguard.otherhashsecrets" .property -}}
{{- $way = "give it by extraEnv, as BLOOMGUARD_OTHERHASHSECRETS with a secretKeyRef" -}}
{{- end -}}
{{- if and $text (regexMatch "(password|passwd|pwd|passphrase|secrets?|credentials?|token|(secret|private|api)key)([.][0-9]+)*$" .property) -}}
{{- if not (regexMatch "^(file|classpath):" $text) -}}
{{- fail (printf "%s is set, but config is no place for a secret: %s." .path $way) -}}
{{- end -}}
{{- end -}}
{{- $address := "://[^/?#\\s@]*:[^/?#\\s]+@|(?i)rediss?://[^/?#\\s:@]+@|(?i)[?&;]password=[^&;\\s]" -}}
{{- if or (regexMatch $address $text) (contains "PRIVATE KEY-----" $text) -}}
{{- fail (printf "%s has a secret in it, but becomes part of a ConfigMap: leave that out, and %s." .path $way) -}}
{{- end -}}
{{- end -}}
