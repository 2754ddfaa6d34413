import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chainLine, GENESIS, readClaim } from "../../../src/audit/chain.ts";
import type { RecordedRequest } from "../../../src/audit/history.ts";
import { openAuditFile } from "../../../src/audit/index.ts";
import { keptLog } from "../../../src/core/logger.ts";
import { StreamPublisher } from "../../../src/gateway/audit-stream/publisher.ts";
import { SharedNats } from "../../../src/gateway/shared/shared-nats.ts";
import { auditRecord, ids } from "../../audit/folder.ts";
import { JetStreamServer } from "../../gateway/audit-stream/jetstream.ts";
import { CLEAN_ENVIRONMENT } from "../../package/consumer.ts";
import { RealTerminal } from "../../support/terminal.ts";
import { COMMAND, requireCommand } from "../command.ts";
import { Workplace } from "../workplace.ts";

const TOKEN = "s3cret-of-nats";

let server: JetStreamServer;
const workplace = new Workplace();

beforeAll(async () => {
  requireCommand();
  server = await JetStreamServer.start(`authorization { token: "${TOKEN}" }\n`);
  workplace.write("token", TOKEN);
  workplace.write(
    "application.yaml",
    `server.port: 0\nadmin.audit.stream: trail\nadmin.audit.file: gw1.jsonl\nadmin.shared.nats.url: ${server.url}\nadmin.shared.nats.token: ${TOKEN}\n`,
  );
  await publish("gw1", "2026-01-05T09:31:00.000001Z", 3);
  await publish("gw2", "2026-01-05T09:31:30.000001Z", 2);
});

afterAll(async () => {
  await workplace.close();
  await server.stop();
});

/** Writes an audit file with that many halts, and publishes it. */
async function publish(gateway: string, time: string, count: number): Promise<void> {
  const audit = await openAuditFile({ path: workplace.file(`${gateway}.jsonl`) });
  for (const id of ids(count)) {
    const of = { gateway, time, id: `${gateway}-${id}`, requestId: `${gateway}-${id}` };
    await audit.write(auditRecord(id, of));
    await audit.write(auditRecord(id, { ...of, stage: "applied", status: 200 }));
  }
  const nats = new SharedNats({ servers: server.url, token: TOKEN }, () => {});
  nats.start();
  const { log } = keptLog();
  const last = () => audit.last;
  const publisher = new StreamPublisher({ path: audit.path, stream: "trail", gateway, last, nats, log });
  publisher.start();
  await publisher.whenAcknowledged(audit.last.seq);
  await publisher.close();
  await nats.close();
  await audit.close();
}

const audit = (...args: string[]) => workplace.run(["audit", ...args]);
const NATS = () => ["--nats", server.url, "--token-file", "token"];

async function shown(...args: string[]): Promise<string[]> {
  const { stdout, code, stderr } = await audit("show", ...args, "-o", "json");
  expect({ code, stderr }).toMatchObject({ code: 0 });
  return (JSON.parse(stdout) as RecordedRequest[]).map(({ gateway, id, outcome }) => `${gateway} ${id} ${outcome}`);
}

describe("D-LOG 23: audit commands read the stream of several gateways", () => {
  it("show has the requests of all, or of one; the stream is found by its subjects, or named, or in a configuration", async () => {
    const all = ids(3).map((id) => `gw1 gw1-${id} applied`);
    all.push(...ids(2).map((id) => `gw2 gw2-${id} applied`));
    expect(await shown(...NATS())).toEqual(all);
    expect(await shown("--config", "application.yaml")).toEqual(all);
    expect(await shown(...NATS(), "--stream", "trail", "--gateway", "gw2")).toEqual(all.slice(3));
    expect(await shown(...NATS(), "--gateway", "gw3")).toEqual([]);
  });

  it("verify has the chain of each gateway", async () => {
    const { code, stdout } = await audit("verify", ...NATS());
    expect({ code, stdout: stdout.replace(/hash [0-9a-f]{64}/g, "hash H") }).toEqual({
      code: 0,
      stdout:
        "stream: trail, 2 gateways\ngateway: gw1\n6 records, chain intact, last hash H\ngateway: gw2\n4 records, chain intact, last hash H\n",
    });
  });

  it("verify compares a file with the stream: records that were removed from its end or changed are found", async () => {
    expect(await audit("verify", "gw1.jsonl", ...NATS())).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/the file and the stream agree\n$/),
    });
    const [one, two, three] = readFileSync(workplace.file("gw1.jsonl"), "utf8").split("\n");
    writeFileSync(workplace.file("cut.jsonl"), `${one}\n${two}\n${three}\n`);
    const cut = await audit("verify", "cut.jsonl", "--config", "application.yaml");
    expect(cut.code).toBe(1);
    expect(cut.stdout).toContain("3 records, chain intact");
    expect(cut.stdout).toContain("REMOVED: the stream has records 4 to 6, which were at the end of the file");
    expect((await audit("verify", "gw2.jsonl", ...NATS(), "--gateway", "gw1")).stdout).toContain(
      "CHANGED: records 1 to 4 of the file have other hashes in the stream",
    );
  });

  it("verify with a configuration compares with the gateway that it names, not with one that a forged record names", async () => {
    const lines = readFileSync(workplace.file("gw1.jsonl"), "utf8").split("\n").slice(0, 4);
    const [at = GENESIS] = [readClaim(Buffer.from(lines.at(-1) ?? ""))];
    const forged = chainLine(at, JSON.stringify(auditRecord("forged", { gateway: "gw-l" })).slice(1, -1)).line;
    writeFileSync(workplace.file("forged.jsonl"), `${lines.join("\n")}\n${forged}`);
    workplace.write(
      "named.yaml",
      `${readFileSync(workplace.file("application.yaml"), "utf8")}admin.gateway.name: gw1\n`,
    );
    for (const place of [[], NATS()]) {
      const { code, stdout } = await audit("verify", "forged.jsonl", "--config", "named.yaml", ...place);
      expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining("stream: trail, 1 gateway\n") });
      expect(stdout).toContain("REMOVED: the stream has records 6, which were at the end of the file");
      expect(stdout).toContain("CHANGED: records 5 of the file have other hashes in the stream");
    }
  });

  it("follow shows what there is and then what comes, over a restart of the server", async () => {
    const terminal = new RealTerminal(process.execPath, [COMMAND, "audit", "follow", ...NATS(), "-n", "1"], {
      cwd: workplace.path,
      environment: CLEAN_ENVIRONMENT,
      columns: 140,
      rows: 50,
    });
    await terminal.until(/applied .*\(gw2-m2\)$/m);
    await publish("gw3", "2026-01-05T09:32:00.000001Z", 1);
    await terminal.until(/applied .*\(gw3-m1\)$/m);
    await server.restart();
    await publish("gw4", "2026-01-05T09:33:00.000001Z", 1);
    await terminal.until(/applied .*\(gw4-m1\)$/m);
    terminal.type("\x03");
    expect(await terminal.ended()).toBe(0);
    terminal.close();
  });

  it.each([
    [["show"], 2, "name an audit file, or a stream with --nats, or the gateway's configuration with --config"],
    [["show", "gw1.jsonl", "--nats", "nats://127.0.0.1:1"], 2, "name files or a stream, not both"],
    [["verify", "--stream", "trail"], 2, "name the NATS servers as well, with --nats or --config"],
    [["verify", "--config", "application.yaml", "--stream", "other"], 1, 'these NATS servers have no stream "other"'],
    [
      ["show", "--nats", "nats://127.0.0.1:1"],
      1,
      "no connection to the NATS servers at nats://127.0.0.1:1: connection refused",
    ],
  ])("%j: exit code %i, and what was wrong", async (args, code, message) => {
    expect(await audit(...args)).toMatchObject({ code, stderr: expect.stringContaining(message) });
  });
});
