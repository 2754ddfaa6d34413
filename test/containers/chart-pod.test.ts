import { existsSync } from "node:fs";
import { join } from "node:path";
import type { StartedTestContainer } from "testcontainers";
import { afterAll, beforeAll, expect, it } from "vitest";
import { allow, basic, ruleDocument, userDocument } from "../auth/access-files.ts";
import { callHttps } from "../gateway/https-call.ts";
import { HELM_TIMEOUT_MS, missingHelm, only, type Rendered, renderChart } from "../support/helm.ts";
import { type Certificates, makeCertificates } from "../transports/support/certificates.ts";
import { describeContainers } from "./docker.ts";
import { terminate } from "./gateway-container.ts";
import { Kubelet } from "./kubelet.ts";

const noHelm = await missingHelm();

const POD = "trading-admin-5d4f-x7k2p";

describeContainers("Helm chart: its pod, run in a container", ({ gateway: image }) => {
  if (noHelm !== undefined) {
    it(`the chart is not rendered here: ${noHelm}`, () => {});
    return;
  }
  let rendered: Rendered;
  let certificates: Certificates;
  let kubelet: Kubelet;
  let pod: StartedTestContainer;

  beforeAll(async () => {
    certificates = await makeCertificates();
    rendered = await renderChart({
      image: { repository: "registry.example/trading-admin" },
      replicas: 1,
      access: { existingSecret: "access" },
      tls: { secretName: "certificate" },
      engine: { transport: "in-process" },
      audit: { loseable: true },
      secretSettings: { existingSecret: "settings" },
      preStopSeconds: 1,
    });
    kubelet = new Kubelet(rendered, {
      access: accessFiles("first"),
      certificate: { "tls.crt": certificates.engine.cert, "tls.key": certificates.engine.key },
      settings: { "admin.api.projection-keys": "Desk" },
    });
    pod = await kubelet.container(image, POD).start();
  }, HELM_TIMEOUT_MS);

  afterAll(async () => {
    await pod?.stop();
    kubelet?.remove();
  });

  function accessFiles(user: string): Record<string, string> {
    return {
      "uac-file-security.xml": userDocument([user, "password of the user"]),
      "uac-access-rules.xml": ruleDocument(allow(user, "HALT_RESUME_TRADING")),
    };
  }

  async function statusFor(user: string): Promise<number | undefined> {
    const origin = `https://127.0.0.1:${pod.getMappedPort(8988)}`;
    const headers = { Authorization: basic(user, "password of the user") };
    return (await callHttps(origin, { ca: certificates.ca, headers })).status;
  }

  it("answers the probes on the management port, and callers over TLS with the certificate of the secret", async () => {
    const { livenessProbe, readinessProbe, ports } = only("Deployment", rendered).spec.template.spec.containers[0];
    for (const { httpGet } of [livenessProbe, readinessProbe]) {
      const { containerPort } = ports.find(({ name }: { name: string }) => name === httpGet.port);
      const reply = await fetch(`http://127.0.0.1:${pod.getMappedPort(containerPort)}${httpGet.path}`);
      expect([reply.status, await reply.text()]).toEqual([200, '{"status":"UP"}']);
    }
    expect(await statusFor("first")).toBe(200);
  });

  it("keeps its audit under its own file name, and takes settings from the secret", async () => {
    expect(existsSync(join(kubelet.folder("audit"), `${POD}.jsonl`))).toBe(true);
    const check = [
      "node",
      "/app/dist/cli/main.js",
      "check-config",
      "--config",
      "/etc/trading-admin/config/application.yaml",
    ];
    const { output } = await pod.exec(check);
    expect(output).toMatch(/projection-keys +Desk +.*secrets\/admin\.api\.projection-keys/);
  });

  it("lets other users in soon after the secret with the access files was changed, without a restart (D-UAC 5)", async () => {
    expect(await statusFor("second")).toBe(401);
    kubelet.project("access", accessFiles("second"));
    await expect.poll(() => statusFor("second"), { timeout: 20_000, interval: 200 }).toBe(200);
    expect(await statusFor("first")).toBe(401);
  });

  it("has a preStop hook that runs in the image, and then ends with exit code 0", async () => {
    const { lifecycle } = only("Deployment", rendered).spec.template.spec.containers[0];
    expect((await pod.exec(lifecycle.preStop.exec.command)).exitCode).toBe(0);
    expect((await terminate(pod)).code).toBe(0);
  });
});
