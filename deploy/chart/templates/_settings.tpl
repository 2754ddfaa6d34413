{{/* application.yaml: what the chart's values mean, and `configuration` over it. */}}
{{- define "trading-admin.settings" -}}
{{- $engine := dict "transport" .Values.engine.transport "request-timeout" .Values.engine.requestTimeout -}}
{{- if .Values.engine.url -}}
{{- $_ := set $engine "url" .Values.engine.url -}}
{{- end -}}
{{- $server := dict "address" "0.0.0.0" "port" 8988 -}}
{{- if .Values.tls.secretName -}}
{{- $_ := set $server "ssl" (dict "certificate" "/etc/trading-admin/tls/tls.crt" "certificate-private-key" "/etc/trading-admin/tls/tls.key") -}}
{{- end -}}
{{- $api := dict -}}
{{- if .Values.tls.endsAtProxy -}}
{{- $_ := set $api "allow-basic-without-tls" true -}}
{{- end -}}
{{- $security := dict "oauth2" (dict "authenticationType" .Values.authenticationType) "uac" (dict "directory" "/etc/trading-admin/access") -}}
{{- $audit := dict "file" "/var/lib/trading-admin/${POD_NAME}.jsonl" -}}
{{- with .Values.audit.stream -}}
{{- $_ := set $audit "stream" . -}}
{{- end -}}
{{- /* Without a claim the oldest files go before the volume is full: the pod would be evicted, with all of them. */}}
{{- if not (or .Values.audit.existingClaim .Values.audit.volumeClaim.size) -}}
{{- $units := dict "Ki" 1 "Mi" 1024 "Gi" 1048576 "Ti" 1073741824 -}}
{{- $limit := mul (regexFind "^[0-9]+" .Values.audit.sizeLimit | int64) (get $units (regexFind "..$" .Values.audit.sizeLimit)) -}}
{{- $fileSize := min 1048576 (max 64 (div $limit 16)) -}}
{{- $_ := set $audit "max-file-size" (printf "%dKB" $fileSize) -}}
{{- $_ := set $audit "max-files" (max 2 (div (mul $limit 3) (mul $fileSize 4))) -}}
{{- end -}}
{{- $management := dict "server" (dict "address" "0.0.0.0" "port" 8990) -}}
{{- $settings := dict "server" $server "management" $management "security" $security "admin" (dict "api" $api "engine" $engine "audit" $audit) -}}
{{- if .Values.secretSettings.existingSecret -}}
{{- $_ := set $settings "spring" (dict "config" (dict "import" "configtree:/etc/trading-admin/secrets/")) -}}
{{- end -}}
{{- $settings = mergeOverwrite $settings (deepCopy .Values.configuration) -}}
{{- $twoPerson := dig "policy" "two-person" dict $settings.admin -}}
{{- $sharesApprovals := or (eq (lower ($twoPerson.store | default "memory")) "nats") (eq .Values.service.sessionAffinity "ClientIP") -}}
{{- if and $twoPerson.operations (gt (int .Values.replicas) 1) (not $sharesApprovals) -}}
{{- fail "admin.policy.two-person keeps changes that wait for the second person in the memory of one gateway, and there are several replicas: set configuration.admin.policy.two-person.store to nats, or replicas to 1, or service.sessionAffinity to ClientIP where both people come from one address" -}}
{{- end -}}
{{- $settings | toYaml -}}
{{- end -}}
