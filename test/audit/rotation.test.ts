import { existsSync, mkdirSync, renameSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { verifyAuditFiles } from "../../src/audit/index.ts";
import { AuditFolder, auditRecord, ids } from "./folder.ts";

/** A few records fill a file. */
const SMALL = { maxFileBytes: 2_000 };

let folder: AuditFolder;

beforeEach(() => {
  folder = new AuditFolder();
});

afterEach(() => folder.close());

describe("rotation by size", () => {
  it("keeps every file below the limit under load, runs the chain through all of them, and loses nothing", async () => {
    const audit = await folder.open({ maxFileBytes: 10_000 });
    for (let round = 0; round < 10; round += 1) await folder.write(audit, ids(50, round * 50));
    const names = folder.names();
    expect(names.length).toBeGreaterThan(20);
    expect(names[0]).toBe("audit.000000000001.jsonl");
    for (const name of names) expect(Buffer.byteLength(folder.text(name))).toBeLessThanOrEqual(10_000);
    expect(names.flatMap((name) => folder.lines(name)).map(({ id }) => id)).toEqual(ids(500, 0));
    const found = await verifyAuditFiles([folder.file]);
    expect(found).toMatchObject({ records: 500, problemCount: 0, first: { seq: 0 }, last: audit.last });
    expect(found.files).toEqual(names.map((name) => join(folder.path, name)));
  });

  it("names a full file after its first record, for good, and logs its last hash", async () => {
    await folder.fill(12, SMALL);
    const full = folder.names().filter((name) => name !== "audit.jsonl");
    expect(full.length).toBeGreaterThan(1);
    for (const name of full) expect(Number(name.split(".")[1])).toBe(folder.lines(name)[0]?.seq);
    const logged = folder.log.map(({ level, details }) => [level, details]);
    expect(logged).toEqual(
      full.map((name) => {
        const { seq, hash } = folder.lines(name).at(-1) ?? {};
        return ["info", { file: join(folder.path, name), seq, hash }];
      }),
    );
  });

  it("gives a record larger than a file its own file", async () => {
    const audit = await folder.open(SMALL);
    const reason = "x".repeat(5_000);
    for (const id of ids(3)) await audit.write(auditRecord(id, { reason }));
    expect(folder.names()).toHaveLength(3);
    expect(await verifyAuditFiles([folder.file])).toMatchObject({ records: 3, problemCount: 0 });
  });

  it("deletes no file unless max-files is set; then the oldest go", async () => {
    await folder.fill(30, SMALL);
    const all = folder.names();
    await folder.fill(1, { ...SMALL, maxFiles: 3 });
    expect(folder.names()).toEqual(all);
    await folder.fill(10, { ...SMALL, maxFiles: 3 });
    expect(folder.names()).toHaveLength(3);
    const found = await verifyAuditFiles([folder.file]);
    expect(found.problemCount).toBe(0);
    expect(found.first.seq).toBe(Number(folder.names()[0]?.split(".")[1]) - 1);
    expect(found.first.seq).toBeGreaterThan(20);
  });

  it("keeps writing to a file that cannot be renamed, and warns once until a rotation succeeds", async () => {
    mkdirSync(join(folder.path, "audit.000000000001.jsonl"));
    const audit = await folder.open(SMALL);
    await folder.write(audit, ids(10));
    await folder.write(audit, ids(10, 11));
    expect(folder.lines()).toHaveLength(20);
    const warning = (seq: number) =>
      expect.stringMatching(`^Audit file: cannot be rotated: .*audit\\.0+${seq}\\.jsonl already exists$`);
    expect(folder.warnings()).toEqual([warning(1)]);
    rmdirSync(join(folder.path, "audit.000000000001.jsonl"));
    mkdirSync(join(folder.path, "audit.000000000021.jsonl"));
    for (const id of ids(10, 21)) await folder.write(audit, [id]);
    expect(folder.lines()[0]).toMatchObject({ seq: 21 });
    expect(folder.warnings()).toEqual([warning(1), warning(21)]);
  });
});

describe("a crash between the steps of a rotation", () => {
  it("continues the chain in a new file if the full file has been renamed", async () => {
    await folder.fill(3);
    renameSync(folder.file, join(folder.path, "audit.000000000001.jsonl"));
    folder.put("", "audit.next");
    expect(await verifyAuditFiles([folder.file])).toMatchObject({
      records: 3,
      problemCount: 0,
      notes: [{ file: folder.file, line: 0, message: expect.stringContaining("is not there yet") }],
    });
    const audit = await folder.open();
    await audit.write(auditRecord("m4"));
    expect(folder.lines()).toMatchObject([{ seq: 4, id: "m4" }]);
    expect(folder.names()).toEqual(["audit.000000000001.jsonl", "audit.jsonl"]);
    expect(folder.warnings()).toEqual([]);
    expect(await verifyAuditFiles([folder.file])).toMatchObject({ records: 4, problemCount: 0, first: { seq: 0 } });
  });

  it("continues the file if the full file has not been renamed, and leaves nothing of the rotation behind", async () => {
    await folder.fill(3);
    folder.put("", "audit.next");
    await (await folder.open()).write(auditRecord("m4"));
    expect(folder.names()).toEqual(["audit.jsonl"]);
    expect(await verifyAuditFiles([folder.file])).toMatchObject({ records: 4, problemCount: 0, notes: [] });
  });

  it("continues if the new file exists without a record", async () => {
    await folder.fill(3);
    renameSync(folder.file, join(folder.path, "audit.000000000001.jsonl"));
    folder.put("");
    const audit = await folder.open();
    await audit.write(auditRecord("m4"));
    expect(folder.lines()).toMatchObject([{ seq: 4, id: "m4" }]);
    expect(existsSync(join(folder.path, "audit.000000000004.torn"))).toBe(false);
  });
});
