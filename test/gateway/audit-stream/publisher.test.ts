import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { jetstreamManager, StorageType } from "@nats-io/jetstream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ChainPosition, chainLine } from "../../../src/audit/chain.ts";
import type { AuditFile } from "../../../src/audit/index.ts";
import { keptLog } from "../../../src/core/logger.ts";
import { StreamPublisher } from "../../../src/gateway/audit-stream/publisher.ts";
import { SharedNats } from "../../../src/gateway/shared/shared-nats.ts";
import { AuditFolder, auditRecord, ids } from "../../audit/folder.ts";
import { JetStreamServer } from "./jetstream.ts";

const STREAM = "audit-test";

let server: JetStreamServer;
let folder: AuditFolder;
let log: ReturnType<typeof keptLog>;
let infos: string[];
let closes: (() => Promise<unknown>)[];

beforeEach(async () => {
  server = await JetStreamServer.start();
  folder = new AuditFolder();
  log = keptLog();
  infos = [];
  closes = [];
});

afterEach(async () => {
  for (const close of closes.splice(0).reverse()) await close();
  await folder.close();
  await server.stop();
});

/** Publishes a file as a gateway does. */
function publish(audit: AuditFile, gateway = "gw-1"): StreamPublisher {
  const nats = new SharedNats({ servers: server.url }, () => {});
  nats.start();
  const last = () => audit.last;
  const kept = { ...log.log, info: (message: string) => void infos.push(message) };
  const publisher = new StreamPublisher({ path: audit.path, stream: STREAM, gateway, last, nats, log: kept });
  publisher.start();
  closes.push(async () => {
    await publisher.close();
    await nats.close();
  });
  return publisher;
}

async function published(publisher: StreamPublisher): Promise<void> {
  await expect.poll(() => publisher.behind).toBe(0);
}

/** All lines of the trail. */
function trail(): string {
  return folder
    .names()
    .map((name) => folder.text(name))
    .join("");
}

async function closeLast(): Promise<void> {
  await closes.pop()?.();
}

describe("D-LOG 20: an audit stream", () => {
  it("gets the lines of the file, byte for byte and in order, over rotations, each with gateway and number as its id", async () => {
    const audit = await folder.open({ maxFileBytes: 1_500 });
    await folder.write(audit, ids(3));
    const publisher = publish(audit, "gw.1 süd");
    for (const id of ids(20, 4)) await folder.write(audit, [id]);
    await published(publisher);
    const messages = await server.messages(STREAM);
    expect(await server.lines(STREAM)).toBe(trail());
    expect(new Set(messages.map(({ subject }) => subject))).toEqual(new Set(["audit.gw%2E1%20s%C3%BCd"]));
    expect(messages.map(({ header }) => header.get("Nats-Msg-Id"))).toEqual(
      ids(23).map((_, index) => `gw%2E1%20s%C3%BCd-${index + 1}`),
    );
  });

  it("is made so that nothing can be deleted from it, in files, with a warning where the server is alone", async () => {
    await published(publish(await folder.open()));
    const config = await server.connected(async (connection) => {
      const { streams } = await jetstreamManager(connection);
      await expect.poll(() => streams.info(STREAM).catch(() => undefined)).toBeDefined();
      return (await streams.info(STREAM)).config;
    });
    expect(config).toMatchObject({
      subjects: ["audit.*"],
      storage: StorageType.File,
      num_replicas: 1,
      deny_delete: true,
      deny_purge: true,
      duplicate_window: 120e9,
    });
    await expect.poll(() => log.warnings).toEqual(["Audit stream: it has 1 of 3 replicas"]);
  });

  it("that exists is left as it is, and what it lacks is logged", async () => {
    await server.connected(async (connection) => {
      const { streams } = await jetstreamManager(connection);
      await streams.add({ name: STREAM, subjects: ["audit.>"], storage: StorageType.Memory, max_msgs: 1_000 });
    });
    const audit = await folder.open();
    await folder.write(audit, ids(1));
    await published(publish(audit));
    expect(log.warnings.join()).toContain(
      "it has 1 of 3 replicas, records can be deleted from it, it is in memory, its limits delete old records",
    );
  });

  it("that is away is reported once and delays no record; what it missed it gets when it is back, rotated meanwhile", async () => {
    const audit = await folder.open({ maxFileBytes: 1_500 });
    const publisher = publish(audit);
    await folder.write(audit, ids(2));
    await published(publisher);
    await server.crash();
    for (const id of ids(15, 3)) await folder.write(audit, [id]);
    await expect.poll(() => log.problems.length).toBe(1);
    expect(log.problems[0]).toContain("AUDIT STREAM AWAY");
    expect(publisher.behind).toBe(15);
    await server.restart();
    await published(publisher);
    expect(await server.lines(STREAM)).toBe(trail());
  });

  it("that was away longer than rotation keeps files is said to lack those records for ever, and not to have all", async () => {
    const audit = await folder.open({ maxFileBytes: 1_500, maxFiles: 2 });
    const publisher = publish(audit);
    await folder.write(audit, ids(2));
    await published(publisher);
    await server.crash();
    for (const id of ids(30, 3)) await folder.write(audit, [id]);
    await expect.poll(() => log.problems.length).toBe(1);
    await server.restart();
    await published(publisher);
    const numbers = (await server.lines(STREAM))
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as ChainPosition).seq);
    const before = numbers.findIndex((seq, index) => numbers[index + 1] !== seq + 1);
    const [first = 0, next = 0] = numbers.slice(before);
    expect(next).toBeGreaterThan(first + 2);
    expect(log.problems.slice(1)).toEqual([
      expect.stringContaining(
        `AUDIT STREAM INCOMPLETE: it will never have records ${first + 1} to ${next - 1}, as no audit file has them`,
      ),
    ]);
    expect(infos.at(-1)).toBe("Audit stream: back, all records that the files have are published");
  });

  it("that begins when older files are gone says from which record on it has them", async () => {
    const audit = await folder.open({ maxFileBytes: 1_500, maxFiles: 2 });
    for (const id of ids(20)) await folder.write(audit, [id]);
    const [, first] = /"seq":(\d+)/.exec(trail()) ?? [];
    await published(publish(audit));
    expect(log.warnings.join()).toContain(`it will never have records 1 to ${Number(first) - 1}, as no audit file`);
    expect(log.problems).toEqual([]);
  });

  it("that hangs gets nothing twice and misses nothing", async () => {
    const audit = await folder.open();
    const publisher = publish(audit);
    await folder.write(audit, ids(2));
    await published(publisher);
    server.freeze();
    await folder.write(audit, ids(3, 3));
    await expect.poll(() => log.problems.length).toBe(1);
    server.thaw();
    await published(publisher);
    expect(await server.lines(STREAM)).toBe(trail());
  });

  it("continues after a restart of the gateway where it ended, and from the beginning where it was lost", async () => {
    const first = await folder.open({ maxFileBytes: 1_500 });
    const publisher = publish(first);
    for (const id of ids(8)) await folder.write(first, [id]);
    await published(publisher);
    await closeLast();
    for (const id of ids(8, 9)) await folder.write(first, [id]);
    await first.close();
    const second = await folder.open({ maxFileBytes: 1_500 });
    await published(publish(second));
    expect(await server.lines(STREAM)).toBe(trail());
    await closeLast();
    await server.connected(async (connection) => (await jetstreamManager(connection)).streams.delete(STREAM));
    await folder.write(second, ids(1, 17));
    await published(publish(second));
    expect(await server.lines(STREAM)).toBe(trail());
  });

  it("keeps what was removed from the file, gets what the file has instead, and the difference is reported", async () => {
    const first = await folder.open();
    const publisher = publish(first);
    await folder.write(first, ids(5));
    await published(publisher);
    const before = folder.text();
    await closeLast();
    await first.close();
    writeFileSync(folder.file, `${before.split("\n").slice(0, 3).join("\n")}\n`);
    const second = await folder.open();
    const after = publish(second);
    await folder.write(second, ids(2, 90));
    await published(after);
    expect(log.problems).toEqual([expect.stringContaining("AUDIT STREAM DIFFERS: its record 5 is not the one")]);
    const kept = await server.lines(STREAM);
    expect(kept).toBe(before + folder.text().slice(before.split("\n").slice(0, 3).join("\n").length + 1));
  });

  it("that got a line which somebody put into the file in the name of the gateway does not continue it: that is reported", async () => {
    const audit = await folder.open();
    const publisher = publish(audit);
    await folder.write(audit, ids(3));
    await published(publisher);
    const { line } = chainLine(audit.last, JSON.stringify(auditRecord("forged")).slice(1, -1));
    appendFileSync(folder.file, line);
    await folder.write(audit, ids(2, 4));
    await published(publisher);
    expect(log.problems).toEqual([expect.stringContaining("AUDIT STREAM DIFFERS: its record 4 is not the one")]);
    expect(await server.lines(STREAM)).toContain('"id":"m5"');
  });

  it("holds the records of several gateways, each on its subject", async () => {
    const one = await folder.open();
    const two = await folder.open({ path: `${folder.path}/two.jsonl` });
    const publishers = [publish(one), publish(two, "gw-2")];
    await Promise.all([folder.write(one, ids(4)), folder.write(two, ids(4))]);
    for (const publisher of publishers) await published(publisher);
    const messages = await server.messages(STREAM);
    for (const [subject, file] of [
      ["audit.gw-1", folder.file],
      ["audit.gw-2", `${folder.path}/two.jsonl`],
    ]) {
      const lines = messages.filter((message) => message.subject === subject);
      expect(lines.map(({ data }) => `${Buffer.from(data).toString()}\n`).join("")).toBe(
        readFileSync(file ?? "", "utf8"),
      );
    }
  });
});
