import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { parseSettings } from "../../src/config/load.ts";
import { describeChart } from "../support/describe-chart.ts";
import {
  CHART,
  HELM_TIMEOUT_MS,
  KUBERNETES,
  lintChart,
  missingHelm,
  only,
  type Rendered,
  renderChart,
} from "../support/helm.ts";
import { validateManifests } from "../support/kubernetes-schemas.ts";
import { FULL, MINIMAL } from "./chart-values.ts";
import { alertRules } from "./monitoring-files.ts";

let least: Rendered;
let most: Rendered;
let stateful: Rendered;

const STATEFUL = { ...MINIMAL, audit: { volumeClaim: { size: "10Gi", storageClass: "fast" } } };

async function render(): Promise<void> {
  if ((await missingHelm()) !== undefined) return;
  [least, most, stateful] = [await renderChart(MINIMAL), await renderChart(FULL), await renderChart(STATEFUL)];
}

beforeAll(render, HELM_TIMEOUT_MS);

function pod(rendered: Rendered, kind = "Deployment") {
  return only(kind, rendered).spec.template.spec;
}

function applicationYaml(rendered: Rendered) {
  return parse(only("ConfigMap", rendered).data["application.yaml"]);
}

/** What the gateway reads of it in a pod `pod-1`, without mounted secrets. */
function settingsOf(rendered: Rendered) {
  const text = stringify({ ...applicationYaml(rendered), spring: null }).replace(/\$\{POD_NAME\}/, "pod-1");
  return parseSettings(text, "/etc/trading-admin/config/application.yaml");
}

await describeChart("Helm chart: what Helm and Kubernetes say to it", () => {
  it.each([
    ["the least values", MINIMAL],
    ["all values", FULL],
    ["a volume for each pod", STATEFUL],
  ])("helm lint --strict finds nothing with %s", async (_, values) => {
    expect(await lintChart(values)).toContain("1 chart(s) linted, 0 chart(s) failed");
  });

  it.each([
    ["the least values", () => least, 6, 0],
    ["all values", () => most, 9, 2],
    ["a volume for each pod", () => stateful, 7, 0],
  ])(
    "every manifest has the fields that Kubernetes knows and no others, with %s",
    async (_, rendered, known, unknown) => {
      const { text, manifests } = rendered();
      const lines = await validateManifests(text, KUBERNETES);
      const passed = lines.filter((line) => /^INFO .* passed for resource /.test(line));
      const others = lines.filter((line) => !passed.includes(line));
      const kind = /find schema for kind (?:PrometheusRule|ServiceMonitor)/;
      expect(others).toEqual(Array(unknown).fill(expect.stringMatching(kind)));
      expect([passed.length, manifests.length]).toEqual([known, known + unknown]);
    },
    HELM_TIMEOUT_MS,
  );

  it("the check itself finds a field that Kubernetes does not know", async () => {
    const wrong = least.text.replace("readOnlyRootFilesystem", "readOnlyRootFileSystem");
    const lines = await validateManifests(wrong, KUBERNETES);
    expect(lines.filter((line) => !line.startsWith("INFO")).join()).toContain("readOnlyRootFileSystem");
  });
});

await describeChart("Helm chart: the pods", () => {
  it("use SIMPLE authentication unless told otherwise (Authentication 7)", () => {
    expect(settingsOf(least)["security.oauth2.authenticationType"]).toBe("SIMPLE");
    expect(settingsOf(most)["security.oauth2.authenticationType"]).toBe("LDAP");
  });

  it("run as nobody in particular, may write nothing but the audit volume, and have no token of the cluster", () => {
    for (const rendered of [least, most]) {
      const { securityContext, containers, automountServiceAccountToken, enableServiceLinks } = pod(rendered);
      expect(securityContext).toMatchObject({
        runAsNonRoot: true,
        runAsUser: 10001,
        seccompProfile: { type: "RuntimeDefault" },
      });
      expect(containers[0].securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ["ALL"] },
      });
      const writable = containers[0].volumeMounts.filter(({ readOnly }: { readOnly?: boolean }) => !readOnly);
      expect(writable).toEqual([{ name: "audit", mountPath: "/var/lib/trading-admin" }]);
      expect([automountServiceAccountToken, enableServiceLinks]).toEqual([false, false]);
      expect(only("ServiceAccount", rendered).automountServiceAccountToken).toBe(false);
    }
  });

  it("are replaced without one being missing, and have the time to end that the gateway takes", () => {
    const { replicas, strategy } = only("Deployment", least).spec;
    expect([replicas, strategy.rollingUpdate]).toEqual([2, { maxUnavailable: 0, maxSurge: 1 }]);
    const { terminationGracePeriodSeconds, containers } = pod(least);
    const [, , script] = containers[0].lifecycle.preStop.exec.command as string[];
    const preStopMs = Number(/, (\d+)\)$/.exec(script ?? "")?.[1]);
    expect(preStopMs).toBe(5_000);
    const requests = settingsOf(least)["admin.engine.request-timeout"];
    expect(terminationGracePeriodSeconds * 1_000).toBeGreaterThan(preStopMs + requests + 5_000);
  });

  it("take settings that the gateway accepts: certificate, management port, an audit file for each pod, what is given besides", () => {
    expect(settingsOf(least)).toMatchObject({
      "server.address": "0.0.0.0",
      "server.port": 8988,
      "server.ssl.certificate": "/etc/trading-admin/tls/tls.crt",
      "admin.api.allow-basic-without-tls": false,
      "management.server.port": 8990,
      "admin.engine.transport": "websocket",
      "admin.engine.url": ["wss://engine:8989"],
      "admin.audit.file": "/var/lib/trading-admin/pod-1.jsonl",
      "security.uac.directory": "/etc/trading-admin/access",
    });
    expect(settingsOf(most)).toMatchObject({
      "admin.api.allow-basic-without-tls": true,
      "admin.api.projection-keys": ["Desk"],
      "admin.engine.transport": "nats",
      "admin.engine.url": ["nats://a:4222", "nats://b:4222"],
      "admin.engine.request-timeout": 5_000,
      "admin.engine.tls.ca": "/etc/trading-admin/secrets/ca.pem",
    });
    expect(applicationYaml(most).spring).toEqual({ config: { import: "configtree:/etc/trading-admin/secrets/" } });
    expect(applicationYaml(least).spring).toBeUndefined();
  });

  it("D-GATE 18: are spread over zones and nodes, where they can be or, if told so, in any case", () => {
    const constraints = (rendered: Rendered) =>
      pod(rendered).topologySpreadConstraints.map((constraint: Record<string, unknown>) => [
        constraint.topologyKey,
        constraint.whenUnsatisfiable,
      ]);
    const keys = ["topology.kubernetes.io/zone", "kubernetes.io/hostname"];
    expect(constraints(least)).toEqual(keys.map((key) => [key, "ScheduleAnyway"]));
    expect(constraints(most)).toEqual(keys.map((key) => [key, "DoNotSchedule"]));
  });

  it("D-GATE 18: are given a moment before the next one is replaced, and one that is never ready does not keep a node", () => {
    for (const [rendered, kind] of [
      [least, "Deployment"],
      [stateful, "StatefulSet"],
    ] as const) {
      expect(only(kind, rendered).spec.minReadySeconds).toBe(5);
      expect(only("PodDisruptionBudget", rendered).spec.unhealthyPodEvictionPolicy).toBe("AlwaysAllow");
    }
  });

  it("D-GATE 18: have a volume each, and names that stay, with audit.volumeClaim; else they are a Deployment", () => {
    const { spec } = only("StatefulSet", stateful);
    expect(stateful.manifests.filter(({ kind }) => kind === "Deployment")).toEqual([]);
    const [claim, ...others] = spec.volumeClaimTemplates;
    expect(others).toEqual([]);
    expect(claim).toEqual({
      metadata: { name: "audit" },
      spec: {
        accessModes: ["ReadWriteOnce"],
        storageClassName: "fast",
        resources: { requests: { storage: "10Gi" } },
      },
    });
    expect([spec.replicas, spec.podManagementPolicy, spec.strategy]).toEqual([2, "Parallel", undefined]);
    const governing = stateful.manifests.find(
      ({ kind, metadata }) => kind === "Service" && metadata.name === spec.serviceName,
    );
    expect(governing?.spec).toMatchObject({ clusterIP: "None", selector: spec.selector.matchLabels });
    const { volumes, containers } = pod(stateful, "StatefulSet");
    expect(volumes.map(({ name }: { name: string }) => name)).not.toContain("audit");
    expect(containers).toEqual(pod(least).containers);
  });

  it.each([
    ["1Gi", 64 * 1024, 12],
    ["2Ti", 1024 * 1024, 1_536],
  ])(
    "D-GATE 18: delete their oldest audit file before a volume without a claim is full: %s",
    async (sizeLimit, kilobytes, files) => {
      const bounded = await renderChart({ ...MINIMAL, audit: { loseable: true, sizeLimit } });
      const settings = settingsOf(bounded);
      expect([settings["admin.audit.max-file-size"], settings["admin.audit.max-files"]]).toEqual([
        kilobytes * 1024,
        files,
      ]);
      expect(settingsOf(stateful)["admin.audit.max-files"]).toBeUndefined();
      expect(settingsOf(most)["admin.audit.max-files"]).toBeUndefined();
    },
  );

  it("D-GATE 18: copy their audit files to the stream that is named", async () => {
    const streamed = await renderChart({ ...MINIMAL, audit: { stream: "trading-admin-audit" } });
    expect(applicationYaml(streamed).admin.audit).toEqual({
      ...applicationYaml(least).admin.audit,
      stream: "trading-admin-audit",
    });
    expect(applicationYaml(least).admin.audit.stream).toBeUndefined();
  });

  it("are watched by the alerts of deploy/alerts, whose job is the name that the monitor gives", () => {
    const rule = only("PrometheusRule", most);
    expect(rule.metadata.labels).toMatchObject({ release: "prometheus" });
    expect(rule.spec.groups.flatMap(({ rules }: { rules: unknown[] }) => rules)).toEqual(alertRules());
    const { jobLabel } = only("ServiceMonitor", most).spec;
    const services = most.manifests.filter(({ kind }) => kind === "Service");
    expect(new Set(services.map(({ metadata }) => metadata.labels[jobLabel]))).toEqual(new Set(["trading-admin"]));
  });

  it("are asked on the management port whether they live and are ready", () => {
    const { livenessProbe, readinessProbe, startupProbe, ports } = pod(least).containers[0];
    expect(ports).toEqual([
      { name: "api", containerPort: settingsOf(least)["server.port"] },
      { name: "management", containerPort: settingsOf(least)["management.server.port"] },
    ]);
    expect([startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => [httpGet.port, httpGet.path])).toEqual([
      ["management", "/actuator/health/liveness"],
      ["management", "/actuator/health/liveness"],
      ["management", "/actuator/health/readiness"],
    ]);
  });

  it("are found by the service, the disruption budget and the network policy", () => {
    for (const rendered of [least, most]) {
      const { labels } = only("Deployment", rendered).spec.template.metadata;
      const selectors = [
        only("PodDisruptionBudget", rendered).spec.selector.matchLabels,
        only("NetworkPolicy", rendered).spec.podSelector.matchLabels,
        ...rendered.manifests.filter(({ kind }) => kind === "Service").map(({ spec }) => spec.selector),
      ];
      for (const selector of selectors) expect(labels).toMatchObject(selector);
    }
    const monitored = only("ServiceMonitor", most).spec.selector.matchLabels;
    const services = most.manifests.filter(({ kind }) => kind === "Service");
    const found = services.filter(({ metadata }) =>
      Object.entries(monitored).every(([key, value]) => metadata.labels[key] === value),
    );
    expect(found.map(({ spec }) => spec.ports[0].targetPort)).toEqual(["management"]);
  });

  it("are started anew when the settings change, and not when the access files do: those are read again", async () => {
    const annotationsOf = (rendered: Rendered) => only("Deployment", rendered).spec.template.metadata.annotations;
    const slower = await renderChart({ ...FULL, engine: { ...FULL.engine, requestTimeout: "6s" } });
    expect(annotationsOf(slower)).not.toEqual(annotationsOf(most));
    const files = { "uac-ldap-security.xml": "<config></config>", "uac-access-rules.xml": "<rules/>" };
    const others = await renderChart({ ...FULL, access: { files } });
    expect(pod(others)).toEqual(pod(most));
    expect(annotationsOf(others)).toEqual(annotationsOf(most));
    expect(only("Secret", others).data).not.toEqual(only("Secret", most).data);
  });
});

await describeChart("D-SHARE 4: the Helm chart and two-person over several replicas", () => {
  const twoPerson = (more: object) => ({
    admin: { policy: { "two-person": { operations: ["resumeTrading"], ...more } } },
  });

  it("refuses approvals in the memory of one gateway, and says what to set", async () => {
    for (const more of [{}, { store: "memory" }]) {
      const rendered = renderChart({ ...MINIMAL, configuration: twoPerson(more) });
      await expect(rendered).rejects.toThrow(
        /several replicas: set configuration\.admin\.policy\.two-person\.store to nats/,
      );
    }
  });

  it("takes a shared store, one replica, or an address that stays with one gateway", async () => {
    const affinity = { service: { sessionAffinity: "ClientIP" }, configuration: twoPerson({}) };
    const accepted = [
      { configuration: twoPerson({ store: "NATS" }) },
      { replicas: 1, configuration: twoPerson({}) },
      affinity,
    ];
    for (const values of accepted) await renderChart({ ...MINIMAL, ...values });
    expect(only("Service", await renderChart({ ...MINIMAL, ...affinity })).spec.sessionAffinity).toBe("ClientIP");
  });
});

await describeChart("Helm chart: values are checked by values.schema.json", () => {
  it.each([
    ["nothing at all", {}, /image\/repository.*\n?/],
    ["a mistyped name", { ...MINIMAL, replica: 3 }, /additional properties 'replica' not allowed/],
    ["a mistyped name further in", { ...MINIMAL, audit: { claim: "x" } }, /at '\/audit'.*'claim' not allowed/],
    ["no access files", { ...MINIMAL, access: {} }, /at '\/access'/],
    [
      "access files twice",
      { ...MINIMAL, access: { existingSecret: "a", files: { "uac-access-rules.xml": "<rules/>" } } },
      /at '\/access'/,
    ],
    [
      "another file among them",
      { ...MINIMAL, access: { files: { "passwd.xml": "x", "uac-access-rules.xml": "y" } } },
      /passwd\.xml/,
    ],
    ["plain HTTP by oversight", { ...MINIMAL, tls: {} }, /at '\/tls/],
    ["a certificate and plain HTTP", { ...MINIMAL, tls: { secretName: "a", endsAtProxy: true } }, /at '\/tls/],
    ["audit records that would be lost by oversight", { ...MINIMAL, audit: {} }, /at '\/audit\/loseable'/],
    [
      "one volume for all and one for each",
      { ...MINIMAL, audit: { existingClaim: "a", volumeClaim: { size: "1Gi" } } },
      /at '\/audit\/volumeClaim\/size'/,
    ],
    ["an unknown way to spread pods", { ...MINIMAL, spread: "perhaps" }, /at '\/spread'/],
    [
      "the port of the API in another place",
      { ...MINIMAL, configuration: { server: { port: 1 } } },
      /at '\/configuration\/server\/port'/,
    ],
    ["the same with a dot", { ...MINIMAL, configuration: { "server.port": 1 } }, /server\.port/],
    [
      "the management port in another place",
      { ...MINIMAL, configuration: { management: { server: { port: 1 } } } },
      /at '\/configuration\/management\/server\/port'/,
    ],
    [
      "the engine in another place",
      { ...MINIMAL, configuration: { admin: { engine: { url: "wss://other:8989" } } } },
      /at '\/configuration\/admin\/engine\/url'/,
    ],
    [
      "the audit file in another place",
      { ...MINIMAL, configuration: { admin: { "audit.file": "/tmp/a" } } },
      /audit\.file/,
    ],
    ["no engine", { ...MINIMAL, engine: {} }, /at '\/engine/],
    ["an engine of the other kind", { ...MINIMAL, engine: { url: "nats://x:4222" } }, /at '\/engine\/url'/],
    ["two simulated engines", { ...MINIMAL, engine: { transport: "in-process" } }, /at '\/replicas': value must be 1/],
    ["an unknown mechanism", { ...MINIMAL, authenticationType: "BASIC" }, /at '\/authenticationType'/],
    [
      "an ingress without a certificate",
      { ...MINIMAL, ingress: { enabled: true, host: "a.example" } },
      /at '\/ingress/,
    ],
  ])("refuses %s", async (_, values, message) => {
    await expect(renderChart(values)).rejects.toThrow(message);
  });

  it("lets a simulated engine be tried with one replica, and tokens work without access files", async () => {
    const trial = await renderChart({ ...MINIMAL, replicas: 1, engine: { transport: "in-process" } });
    expect(settingsOf(trial)["admin.engine.transport"]).toBe("in-process");
    const tokens = await renderChart({ ...MINIMAL, access: {}, authenticationType: "PROVIDER" });
    expect(pod(tokens).volumes.map(({ name }: { name: string }) => name)).not.toContain("access");
  });

  it("knows every value that values.yaml has, and no other", () => {
    const values = parse(readFileSync(join(CHART, "values.yaml"), "utf8")) as Record<string, unknown>;
    const schema = JSON.parse(readFileSync(join(CHART, "values.schema.json"), "utf8")) as Schema;
    expect(namesOf(values)).toEqual(namesIn(schema).filter((name) => name !== "global"));
  });
});

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
}

/** Names of values with dots; open maps, such as labels, end the walk. */
function namesOf(value: unknown, prefix = ""): string[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
  return Object.entries(value)
    .flatMap(([name, inner]) => [`${prefix}${name}`, ...namesOf(inner, `${prefix}${name}.`)])
    .filter((name) => !/^resources\.\w+\./.test(name))
    .sort();
}

function namesIn({ properties = {} }: Schema, prefix = ""): string[] {
  return Object.entries(properties)
    .flatMap(([name, inner]) => [`${prefix}${name}`, ...namesIn(inner, `${prefix}${name}.`)])
    .sort();
}
