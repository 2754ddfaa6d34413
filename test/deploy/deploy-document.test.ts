import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { loadSettings } from "../../src/config/load.ts";
import { ROOT } from "../package/build.ts";
import { describeChart } from "../support/describe-chart.ts";
import { HELM_TIMEOUT_MS, only, renderChart } from "../support/helm.ts";
import { blockOf } from "./document.ts";

const IMAGE_SETTINGS = join(ROOT, "deploy", "application.yaml");

await describeChart("docs/deploy/kubernetes.md: the values for the chart", () => {
  it(
    "the values for the chart are accepted",
    async () => {
      const values = parse(blockOf("deploy/kubernetes.md", "yaml", "image:"));
      const settings = parse(only("ConfigMap", await renderChart(values)).data["application.yaml"]);
      expect(settings.server).toMatchObject({ port: 8988, ...values.configuration.server });
      expect(values.configuration.server).toHaveProperty("trusted-proxies");
    },
    HELM_TIMEOUT_MS,
  );
});

describe("docs/deploy: what the pages show is what the gateway takes", () => {
  it("the variables of `docker run` are settings, and go before those of the image", async () => {
    const command = /^docker run --read-only.*?trading-admin\n/ms.exec(
      readFileSync(join(ROOT, "docs", "deploy", "README.md"), "utf8"),
    );
    const variables = [...(command?.[0] ?? "").matchAll(/-e (\w+)=(\S+)/g)].map(([, name = "", value = ""]) => [
      name,
      value,
    ]);
    const { settings } = await loadSettings(IMAGE_SETTINGS, {
      commandLine: [],
      environment: Object.fromEntries(variables) as Record<string, string>,
    });
    expect(variables).toHaveLength(4);
    expect(settings).toMatchObject({
      "server.ssl.certificate": "/etc/trading-admin/access/tls.crt",
      "server.ssl.certificate-private-key": "/etc/trading-admin/access/tls.key",
      "admin.engine.transport": "websocket",
      "admin.engine.url": ["wss://engine:8989"],
    });
  });

  it("the image has SIMPLE authentication, one folder for access files, and does without TLS only when it is told", async () => {
    const { settings } = await loadSettings(IMAGE_SETTINGS, { commandLine: [], environment: {} });
    expect(settings).toMatchObject({
      "server.address": "0.0.0.0",
      "server.port": 8988,
      "management.server.address": "127.0.0.1",
      "management.server.port": 8990,
      "security.oauth2.authenticationType": "SIMPLE",
      "security.uac.directory": "/etc/trading-admin/access",
      "admin.api.allow-basic-without-tls": false,
      "admin.audit.file": "/var/lib/trading-admin/audit.jsonl",
    });
  });

  it("nginx, HAProxy, Apache and Envoy wait longer than the engine may take by default", async () => {
    const { settings } = await loadSettings(IMAGE_SETTINGS, { commandLine: [], environment: {} });
    const envoy = parse(blockOf("deploy/proxies.md", "yaml", "static_resources:"));
    const manager = envoy.static_resources.listeners[0].filter_chains[0].filters[0].typed_config;
    const routes = manager.route_config.virtual_hosts[0].routes as {
      match: { prefix?: string };
      route: { timeout: string };
    }[];
    const api = routes.find(({ match }) => match.prefix === "/api/admin/v1/");
    const [, nginx] = /proxy_read_timeout (\d+)s;/.exec(blockOf("deploy/proxies.md", "nginx")) ?? [];
    const [, haproxy] = /timeout server (\d+)s$/m.exec(blockOf("deploy/proxies.md", "haproxy")) ?? [];
    const [, apache] = / timeout=(\d+) /.exec(blockOf("deploy/proxies.md", "apache")) ?? [];
    for (const seconds of [nginx, haproxy, apache].map(Number).concat(Number.parseInt(api?.route.timeout ?? "", 10))) {
      expect(seconds * 1_000).toBeGreaterThan(settings["admin.engine.request-timeout"] + 2_000);
    }
    expect([manager.path_with_escaped_slashes_action, manager.merge_slashes]).toEqual(["KEEP_UNCHANGED", false]);
  });

  it("D-HTTP 21: Envoy passes the caller's X-Request-Id on, which it replaces unless it is told not to", () => {
    const envoy = parse(blockOf("deploy/proxies.md", "yaml", "static_resources:"));
    const manager = envoy.static_resources.listeners[0].filter_chains[0].filters[0].typed_config;
    expect(manager).toMatchObject({ use_remote_address: true, preserve_external_request_id: true });
  });

  it("D-HTTP 15: nginx takes larger bodies than the gateway, so that the gateway's own 413 is seen", async () => {
    const { settings } = await loadSettings(IMAGE_SETTINGS, { commandLine: [], environment: {} });
    const [, mebibytes] = /client_max_body_size (\d+)m;/.exec(blockOf("deploy/proxies.md", "nginx")) ?? [];
    expect(Number(mebibytes) * 1024 * 1024).toBeGreaterThan(settings["admin.api.max-body-size"]);
  });

  it("`docker run` mounts absolute paths and named volumes: Docker before 23 takes no other", () => {
    const text = readFileSync(join(ROOT, "docs", "deploy", "README.md"), "utf8");
    const sources = [...text.matchAll(/ -v (\S+?):/g)].map(([, source]) => source);
    expect(sources).toHaveLength(2);
    for (const source of sources) expect(source).toMatch(/^("\$PWD"\/|\/|\w[\w-]*$)/);
  });
});

describe("deploy/Dockerfile", () => {
  const dockerfile = readFileSync(join(ROOT, "deploy", "Dockerfile"), "utf8");

  it("pins its base image by digest, runs as a numbered user, and is ended by SIGTERM", () => {
    expect(dockerfile).toMatch(/^ARG BASE_IMAGE=node:20\.\d+\.\d+-bookworm-slim@sha256:[0-9a-f]{64}$/m);
    expect(dockerfile).toMatch(/^USER \d+:\d+$/m);
    expect(dockerfile).toMatch(/^STOPSIGNAL SIGTERM$/m);
    expect(dockerfile).toMatch(/^ENTRYPOINT \[/m);
  });

  it("D-LOAD 12: starts the gateway as the documented service and the storm of the tests do, without threads of the collector", () => {
    const option = "--single-threaded-gc";
    const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
    expect(dockerfile).toContain(`ENTRYPOINT ["node", "${option}", "/app/`);
    expect(read("docs/deploy/README.md")).toMatch(new RegExp(`^ExecStart=/usr/bin/node ${option} .* serve `, "m"));
    expect(read("test/storm/gateway-process.ts")).toContain(`"${option}"`);
  });

  it("uses in its last stage nothing but what any base has: no shell, no package manager", () => {
    const last = dockerfile.slice(dockerfile.lastIndexOf("\nFROM "));
    expect(last).not.toMatch(/^RUN /m);
  });
});
