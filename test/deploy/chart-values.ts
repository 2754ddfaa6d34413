/** The least that an installation has to say. */
export const MINIMAL = {
  image: { repository: "registry.example/trading-admin" },
  access: { existingSecret: "trading-access" },
  tls: { secretName: "trading-tls" },
  engine: { url: "wss://engine:8989" },
  audit: { loseable: true },
};

/** An installation with everything that the chart offers. */
export const FULL = {
  image: { repository: "registry.example/trading-admin", digest: `sha256:${"0".repeat(64)}` },
  imagePullSecrets: [{ name: "registry" }],
  replicas: 3,
  authenticationType: "LDAP",
  access: { files: { "uac-ldap-security.xml": "<config/>", "uac-access-rules.xml": "<rules/>" } },
  tls: { endsAtProxy: true },
  engine: { transport: "nats", url: "nats://a:4222,nats://b:4222", requestTimeout: "5s" },
  configuration: {
    admin: { api: { "projection-keys": ["Desk"] }, engine: { tls: { ca: "/etc/trading-admin/secrets/ca.pem" } } },
  },
  secretSettings: { existingSecret: "trading-settings" },
  audit: { existingClaim: "trading-audit" },
  service: { type: "LoadBalancer", port: 443, annotations: { "example.com/internal": "true" } },
  ingress: {
    enabled: true,
    className: "nginx",
    host: "admin.example.com",
    tlsSecretName: "ingress-tls",
    annotations: { a: "b" },
  },
  networkPolicy: {
    apiFrom: [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "ingress" } } }],
    managementFrom: [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "monitoring" } } }],
    egress: [{ ports: [{ port: 53, protocol: "UDP" }] }, { ports: [{ port: 4222 }] }],
  },
  spread: "required",
  prometheusRule: { enabled: true, labels: { release: "prometheus" } },
  serviceMonitor: { enabled: true, interval: "30s", labels: { release: "prometheus" } },
  podAnnotations: { "example.com/team": "risk" },
  podLabels: { team: "risk" },
  priorityClassName: "system-cluster-critical",
  nodeSelector: { "kubernetes.io/os": "linux" },
  tolerations: [{ key: "trading", operator: "Exists", effect: "NoSchedule" }],
  affinity: { nodeAffinity: {} },
};
