/** HAProxy before two gateways as docs/deploy/proxies.md configures it, without TLS, on the loopback address. */
export function haproxyConfiguration(port, [first, second]) {
  return `defaults
    mode http
    timeout client 30s
    timeout connect 2s
    timeout server 15s
    timeout check 2s
    option http-server-close
    retries 3
    option redispatch 1
    option httpchk GET /actuator/health/readiness
    http-check expect status 200 error-status L7OKC
    default-server check inter 500ms fastinter 100ms fall 2 rise 1 on-marked-down shutdown-sessions

frontend admin
    bind 127.0.0.1:${port}
    http-request set-header X-Forwarded-For %[src]
    acl engine-reached nbsrv(commands-to-engine) gt 0
    use_backend commands-to-engine if engine-reached METH_POST !{ path /api/admin/v1/positions }
    use_backend commands if METH_POST !{ path /api/admin/v1/positions }
    default_backend reads

backend commands-to-engine
    http-check connect
    http-check send meth GET uri /actuator/health/readiness
    http-check expect status 200 error-status L7OKC
    http-check connect
    http-check send meth GET uri /actuator/health
    http-check expect status 200 error-status L7OKC
    server gateway-1 ${first}
    server gateway-2 ${second} backup

backend commands
    server gateway-1 ${first}
    server gateway-2 ${second} backup

backend reads
    balance roundrobin
    server gateway-1 ${first}
    server gateway-2 ${second}
`;
}
