import { renameSync, rmSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ChainPosition, chainLine } from "../../src/audit/chain.ts";
import { verifyAuditFiles } from "../../src/audit/index.ts";
import { pastRecords } from "../../src/audit/past-records.ts";
import { AuditFolder, auditRecord, ids } from "./folder.ts";

let folder: AuditFolder;

beforeEach(() => {
  folder = new AuditFolder();
});

afterEach(() => folder.close());

/** Opens the file again, writes a record and lets go. */
async function writeAfterRestart(id: string): Promise<void> {
  const audit = await folder.open();
  await audit.write(auditRecord(id));
  await audit.close();
}

describe("a torn last line, as a crash in mid-write leaves it", () => {
  it("is cut off wherever it is torn, kept, recorded in the chain and reported", async () => {
    await folder.fill(2);
    const content = Buffer.from(folder.text());
    const start = content.indexOf("\n") + 1;
    for (let end = start + 1; end < content.length; end += 41) {
      folder.put(content.subarray(0, end));
      folder.log.length = 0;
      await writeAfterRestart("next");
      const [first, torn, next, ...more] = folder.lines();
      expect([first?.seq, torn?.seq, next?.seq, more]).toEqual([1, 2, 3, []]);
      expect(torn).toMatchObject({ event: "torn", bytes: end - start, file: "audit.000000000002.torn" });
      expect(folder.text("audit.000000000002.torn")).toBe(content.toString("utf8", start, end));
      expect(folder.warnings()).toEqual([
        `Audit file: a torn line of ${end - start} bytes was cut off the end and is kept in audit.000000000002.torn`,
      ]);
      expect(await verifyAuditFiles([folder.file])).toMatchObject({
        problemCount: 0,
        records: 3,
        notes: [{ line: 2 }],
      });
    }
  });

  it("may be the first line, or zeros that a power failure left", async () => {
    folder.put("{\u0000\u0000\u0000\u0000");
    await writeAfterRestart("next");
    expect(folder.lines()).toMatchObject([{ seq: 1, event: "torn", bytes: 5 }, { id: "next" }]);
  });

  it("is recorded even if the start that cut it off was itself cut off before it could record that", async () => {
    await folder.fill(2);
    folder.put("{torn", "audit.000000000003.torn");
    await writeAfterRestart("next");
    expect(folder.lines()).toMatchObject([{}, {}, { event: "torn", bytes: 5 }, { id: "next" }]);
    await writeAfterRestart("again");
    expect(folder.lines().filter(({ event }) => event !== undefined)).toHaveLength(1);
  });
});

describe("D-LOG 16: a file that was tampered with", () => {
  it("does not keep the gateway from starting; the chain continues, and the break is recorded and stays visible", async () => {
    await folder.fill(4);
    folder.put(folder.text().replace('"id":"m2"', '"id":"mX"'));
    await writeAfterRestart("next");
    expect(folder.lines()[4]).toMatchObject({ event: "damaged", line: 2, seq: 5 });
    expect(folder.warnings()).toEqual([expect.stringContaining("the chain is broken at line 2: record 2 was changed")]);
    const found = await verifyAuditFiles([folder.file]);
    expect(found.problems).toMatchObject([{ line: 2, message: expect.stringContaining("record 2 was changed") }]);
    expect(found.notes).toMatchObject([{ line: 5 }]);
    await writeAfterRestart("again");
    expect(folder.lines().filter(({ event }) => event === "damaged")).toHaveLength(1);
  });

  it.each([
    ["the last line is not a record", (text: string) => `${text}nonsense\n`, { event: "damaged", line: 4, seq: 4 }],
    ["no line is a record", () => "nonsense\n", { event: "damaged", line: 1, seq: 1 }],
    [
      "a line was removed",
      (text: string) => text.replace(/^.*"id":"m2".*\n/m, ""),
      { event: "damaged", line: 2, seq: 4, message: expect.stringContaining("record 3 does not continue record 1") },
    ],
    [
      "the last record was replaced by one with a hash that is right for it",
      (text: string) => text.replace(/[^\n]*\n$/, chainLine({ seq: 2, hash: "f".repeat(64) }, '"id":"forged"').line),
      { event: "damaged", line: 3, seq: 4, message: expect.stringContaining("record 3 does not continue record 2") },
    ],
  ])("is recorded as a break: %s", async (_, tamper, event) => {
    await folder.fill(3);
    folder.put(tamper(folder.text()));
    await writeAfterRestart("next");
    const [recorded, next] = folder.text().split("\n").slice(-3);
    expect(JSON.parse(recorded ?? "")).toMatchObject(event);
    expect(JSON.parse(next ?? "")).toMatchObject({ id: "next" });
    expect((await verifyAuditFiles([folder.file])).problemCount).toBe(1);
  });
});

describe("a current file that was removed while nobody used it", () => {
  it("D-LOG 16: is distinguished from an interrupted rotation, and the chain says so from then on", async () => {
    await folder.fill(12, { maxFileBytes: 2_000 });
    const { files } = await verifyAuditFiles([folder.file]);
    const { last } = await verifyAuditFiles(files.slice(0, -1));
    rmSync(folder.file);
    const missing = { file: folder.file, line: 0, message: "the file is missing: the end of the chain is not there" };
    expect(await verifyAuditFiles([folder.file])).toMatchObject({ problems: [missing], problemCount: 1, last });
    await writeAfterRestart("next");
    const message = `the file was missing at the start: what was recorded after record ${last.seq} is gone`;
    expect(folder.lines()).toMatchObject([{ seq: last.seq + 1, event: "disturbed", message }, { id: "next" }]);
    expect(folder.warnings().at(-1)).toBe(`Audit file: ${message}`);
    const found = await verifyAuditFiles([folder.file]);
    expect(found).toMatchObject({ problemCount: 0, notes: [{ message: expect.stringContaining(message) }] });
  });
});

describe("D-LOG 16: an older current file, as of a backup that was restored, beside newer full ones", () => {
  const SMALL = { maxFileBytes: 2_000 };

  /** Fills files, and puts back the current one as it was after the second record. */
  async function restored(): Promise<ChainPosition> {
    await folder.fill(2, SMALL);
    const backup = folder.text();
    const audit = await folder.open(SMALL);
    for (const id of ids(12, 3)) await audit.write(auditRecord(id));
    await audit.close();
    folder.put(backup);
    return (
      await verifyAuditFiles(
        folder
          .names()
          .slice(0, -1)
          .map((name) => join(folder.path, name)),
      )
    ).last;
  }

  it("does not keep the gateway from starting: it is put away, and the chain continues after the last full file and says so", async () => {
    const { seq: last } = await restored();
    const backup = folder.text();
    expect((await verifyAuditFiles([folder.file])).problems).toMatchObject([
      { message: `record 1 follows record ${last}` },
    ]);
    await writeAfterRestart("next");
    const keptIn = `audit.${String(last + 1).padStart(12, "0")}.outdated`;
    const message =
      `an older file was in its place, which ended with record 2, though a full file ends with record ${last}; it is kept in ${keptIn}, ` +
      `and what was recorded after record ${last} is gone`;
    expect(folder.warnings()).toEqual([`Audit file: ${message}`]);
    expect(folder.text(keptIn)).toBe(backup);
    expect(folder.lines()).toMatchObject([{ seq: last + 1, event: "disturbed", message }, { id: "next" }]);
    const { problemCount, notes } = await verifyAuditFiles([folder.file]);
    expect(problemCount).toBe(0);
    expect(notes).toMatchObject([{ message: expect.stringContaining(message) }]);
  });

  it("is rotated again, is not reported again, and repeats nothing to what asks for past records", async () => {
    const { seq: last } = await restored();
    await writeAfterRestart("next");
    const before = folder.names().length;
    const audit = await folder.open(SMALL);
    for (const id of ids(12, 100)) await audit.write(auditRecord(id));
    expect(folder.names().length).toBeGreaterThan(before);
    expect(folder.warnings()).toHaveLength(1);
    const seen: string[] = [];
    for await (const { id } of await pastRecords(folder.file, () => {})) seen.push(id);
    expect(seen).toEqual([...ids(last), "next", ...ids(12, 100)]);
  });

  it("is put away while the gateway runs, too", async () => {
    await folder.fill(2, SMALL);
    const backup = folder.text();
    const audit = await folder.open(SMALL);
    for (const id of ids(12, 3)) await audit.write(auditRecord(id));
    rmSync(folder.file);
    folder.put(backup);
    await audit.write(auditRecord("next"));
    expect(folder.warnings()).toEqual([
      "Audit file: another file was put in the place of the file",
      expect.stringContaining("what was recorded after record 14 is gone"),
    ]);
    expect(folder.lines()).toMatchObject([{ seq: 15, event: "disturbed" }, { event: "disturbed" }, { id: "next" }]);
  });
});

describe("an audit file that another process tampers with while it is in use", () => {
  it("is continued in a new file when it is moved away", async () => {
    const audit = await folder.open();
    await audit.write(auditRecord("m1"));
    const moved = join(folder.path, "moved.jsonl");
    renameSync(folder.file, moved);
    await folder.write(audit, ids(2, 2));
    expect(folder.lines()).toMatchObject([{ event: "disturbed", seq: 2 }, { id: "m2" }, { id: "m3", seq: 4 }]);
    expect(folder.warnings()).toEqual(["Audit file: the file was moved or deleted while it was in use"]);
    expect(await verifyAuditFiles([moved, folder.file])).toMatchObject({ problemCount: 0, records: 4 });
  });

  it("is continued in the file that was put in its place, even one of the same size", async () => {
    const audit = await folder.open();
    await audit.write(auditRecord("m1"));
    folder.put(folder.text(), "copy.jsonl");
    renameSync(join(folder.path, "copy.jsonl"), folder.file);
    await audit.write(auditRecord("m2"));
    expect(folder.lines()).toMatchObject([{ id: "m1" }, { event: "disturbed", seq: 2 }, { id: "m2", seq: 3 }]);
    expect(folder.warnings()).toEqual(["Audit file: another file was put in the place of the file"]);
  });

  it("loses nothing more when it is deleted, and the first new record says how many are missing", async () => {
    const audit = await folder.open();
    await audit.write(auditRecord("m1"));
    rmSync(folder.file);
    await audit.write(auditRecord("m2"));
    expect(folder.lines()).toMatchObject([{ event: "disturbed", seq: 2 }, { id: "m2" }]);
    expect((await verifyAuditFiles([folder.file])).first.seq).toBe(1);
  });

  it("survives being emptied in place, as log rotation by copying does", async () => {
    const audit = await folder.open();
    await audit.write(auditRecord("m1"));
    truncateSync(folder.file);
    await audit.write(auditRecord("m2"));
    expect(folder.lines()).toMatchObject([{ event: "disturbed", seq: 2 }, { id: "m2" }]);
  });

  it("survives a foreign line without a line end", async () => {
    const audit = await folder.open();
    await audit.write(auditRecord("m1"));
    folder.put(`${folder.text()}forged`);
    await audit.write(auditRecord("m2"));
    expect(folder.lines()).toMatchObject([{ id: "m1" }, { event: "torn" }, { event: "disturbed" }, { id: "m2" }]);
    expect(folder.text("audit.000000000002.torn")).toBe("forged");
  });
});
