import { readFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { sha256 } from "../../../src/audit/chain.ts";
import { createClient } from "../../../src/client/client.ts";
import { basic } from "../../../src/client/credentials.ts";
import { AUTHORIZATION, writeInstallation } from "../../audit/installation.ts";
import { requireCommand, type Serving } from "../../cli/command.ts";
import { Workplace } from "../../cli/workplace.ts";
import { Scrape } from "../exposition.ts";
import { InstallationFolder, PASSWORD } from "../folder.ts";
import { JetStreamServer } from "./jetstream.ts";

const BEHIND = "trading_admin_audit_stream_behind_records";

let server: JetStreamServer;
let folder: InstallationFolder;
let workplace: Workplace;

beforeAll(async () => {
  requireCommand();
  server = await JetStreamServer.start();
});

beforeEach(() => {
  folder = new InstallationFolder();
  workplace = new Workplace();
});

afterEach(async () => {
  await folder.close();
  await workplace.close();
});

afterAll(() => server.stop());

/** Settings of a gateway of this name, whose stream is of the same name: streams on one server have no subjects in common otherwise. */
function settings(name: string, more = ""): string {
  return `admin.gateway.name: ${name}\nadmin.audit.stream: trail\nadmin.shared.nats.url: ${server.url}\n${more}`;
}

const clientAt = (baseUrl: string) => createClient({ baseUrl, credentials: basic("chief", PASSWORD) });

/** Hashes of the lines that the stream has of a gateway; a line is its own hash where it was changed. */
async function linesOf(gateway: string): Promise<string[]> {
  const messages = await server.messages("trail").catch(() => []);
  const own = messages.filter(({ subject }) => subject === `audit.${gateway}`);
  return own.map(({ data }) => sha256(data));
}

function linesIn(...files: readonly string[]): string[] {
  return files.flatMap((file) => readFileSync(file, "utf8").split("\n").slice(0, -1).map(sha256));
}

const fileOf = (): string[] => linesIn(folder.file("audit.jsonl"));

describe("admin.audit.stream", () => {
  it("D-LOG 20, D-LOG 21: the stream has what the file has; while it is away, nothing waits, and a metric says how far it is behind", async () => {
    const { url } = await folder.start(settings("gw-a", "admin.audit.file: audit.jsonl\n"));
    await clientAt(url).haltTrading({ reason: "drill" });
    await expect.poll(() => linesOf("gw-a")).toEqual(fileOf());
    expect((await Scrape.of(url)).value(BEHIND)).toBe(0);
    await server.crash();
    await clientAt(url).resumeTrading({ reason: "drill over" });
    expect((await Scrape.of(url)).value(BEHIND)).toBe(2);
    await server.restart();
    await expect.poll(() => linesOf("gw-a")).toEqual(fileOf());
    expect((await Scrape.of(url)).value(BEHIND)).toBe(0);
  });

  it("D-LOG 22: with stream-required, a change waits for the stream and is refused as not sent without; a stop never waits", async () => {
    const required =
      "admin.audit.file: audit.jsonl\nadmin.audit.stream-required: true\nadmin.engine.request-timeout: 2s\n";
    const { url } = await folder.start(settings("gw-b", required));
    const client = clientAt(url);
    await expect.poll(() => client.resumeTrading().catch(() => false)).toBe(null);
    expect((await linesOf("gw-b")).length).toBeGreaterThan(0);
    await server.crash();
    await expect(client.resumeTrading({ reason: "no stream" })).rejects.toMatchObject({
      outcome: "not-applied",
      status: 500,
    });
    expect(await client.haltTrading({ reason: "stop" })).toBe(null);
    const stages = folder.lines("audit.jsonl").map(({ reason, stage }) => `${reason} ${stage}`);
    expect(stages).toEqual(
      expect.arrayContaining(["no stream intent", "no stream not-sent", "stop intent", "stop applied"]),
    );
    await server.restart();
    await expect.poll(() => client.resumeTrading().catch(() => false)).toBe(null);
    await expect.poll(() => linesOf("gw-b")).toEqual(fileOf());
  });

  it("D-LOG 20: loses nothing when the gateway is killed, and continues when it starts again", async () => {
    writeInstallation(workplace, settings("gw-c", "admin.audit.max-file-size: 64KB\n"));
    let serving: Serving | undefined;
    for (let round = 0; round < 3; round += 1) {
      serving = await workplace.serve("--config", "application.yaml");
      await Promise.all(Array.from({ length: 20 }, (_, index) => halt(serving?.url ?? "", `r${round}-${index}`)));
      await serving.stop("SIGKILL");
    }
    serving = await workplace.serve("--config", "application.yaml");
    const { stdout } = await workplace.run(["audit", "verify", "audit.jsonl"]);
    const files = [...stdout.matchAll(/^file: (.*)$/gm)].map(([, file]) => workplace.file(file ?? ""));
    await expect.poll(() => linesOf("gw-c")).toEqual(linesIn(...files));
    const compared = await workplace.run(["audit", "verify", "audit.jsonl", "--config", "application.yaml"]);
    expect(compared).toMatchObject({ code: 0, stdout: expect.stringMatching(/the file and the stream agree\n$/) });
    await serving.stop("SIGTERM");
  });

  it.each([
    [`admin.audit.stream: trail\nadmin.shared.nats.url: nats://127.0.0.1:1\n`, "needs admin.audit.file"],
    [`admin.audit.stream: trail\nadmin.audit.file: audit.jsonl\n`, "needs NATS servers with JetStream"],
    [`admin.audit.stream-required: true\nadmin.audit.file: audit.jsonl\n`, "needs admin.audit.stream"],
  ])("is refused at the start where it cannot work: %j", async (yaml, message) => {
    await expect(folder.start(yaml)).rejects.toThrow(message);
    workplace.write("application.yaml", `server.port: 0\n${yaml}`);
    expect((await workplace.run(["check-config", "--config", "application.yaml"])).stdout).toContain(message);
  });
});

async function halt(url: string, requestId: string): Promise<void> {
  const headers = { Authorization: AUTHORIZATION, "Content-Type": "application/json", "X-Request-Id": requestId };
  const response = await fetch(`${url}/api/admin/v1/trading/halt`, { method: "POST", headers, body: "{}" });
  expect(response.status).toBe(200);
}
