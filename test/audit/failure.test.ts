import { type FileHandle, open } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { AuditFileError, verifyAuditFiles } from "../../src/audit/index.ts";
import { startTestRig } from "../../src/testing/rig.ts";
import { AuditFolder, auditRecord, ids } from "./folder.ts";

let folder: AuditFolder;
let files: FileHandle;

beforeEach(async () => {
  folder = new AuditFolder();
  const handle = await open(folder.path);
  await handle.close();
  // Node's own class of open files: a disk that fails at will is not to be had.
  files = Object.getPrototypeOf(handle) as FileHandle;
});

afterEach(async () => {
  vi.restoreAllMocks();
  await folder.close();
});

function broken(code: string): Error {
  return Object.assign(new Error(`${code}: the disk is broken`), { code });
}

/** The disk takes only the first bytes of what is written, then it is full, until it is repaired. */
function fillDisk(bytesLeft: number): () => void {
  const { appendFile } = files;
  const full = vi.spyOn(files, "appendFile").mockImplementation(async function (this: FileHandle, data) {
    await appendFile.call(this, (data as Buffer).subarray(0, bytesLeft));
    throw broken("ENOSPC");
  });
  return () => full.mockRestore();
}

describe("when a group of records cannot be written", () => {
  it("all of it is refused, the file is brought back to its last good state, and later records are kept", async () => {
    const audit = await folder.open();
    await audit.write(auditRecord("m1"));
    const good = folder.text();
    const repair = fillDisk(1_000);
    const failed = await Promise.allSettled(ids(20, 2).map((id) => audit.write(auditRecord(id))));
    expect(failed.map(({ status }) => status)).toEqual(Array(20).fill("rejected"));
    for (const { reason } of failed as PromiseRejectedResult[]) {
      expect(reason).toBeInstanceOf(AuditFileError);
      expect(reason.message).toBe(`${folder.file}: cannot be written: ENOSPC: the disk is broken`);
      expect(reason.cause).toMatchObject({ code: "ENOSPC" });
    }
    expect(folder.text()).toBe(good);
    repair();
    await folder.write(audit, ids(3, 50));
    expect(folder.lines().map(({ id, seq }) => [id, seq])).toEqual([
      ["m1", 1],
      ["m50", 2],
      ["m51", 3],
      ["m52", 4],
    ]);
  });

  it("what was written but could not be synchronised is taken back too", async () => {
    const audit = await folder.open();
    await audit.write(auditRecord("m1"));
    vi.spyOn(files, "datasync").mockRejectedValueOnce(broken("EIO"));
    await expect(audit.write(auditRecord("m2"))).rejects.toThrow("EIO");
    expect(folder.lines()).toHaveLength(1);
    await audit.write(auditRecord("m3"));
    expect(await verifyAuditFiles([folder.file])).toMatchObject({ records: 2, problemCount: 0 });
  });

  it("as long as it cannot be taken back, nothing is written and every record is refused with the reason", async () => {
    const audit = await folder.open();
    await audit.write(auditRecord("m1"));
    const repair = fillDisk(100);
    const stuck = vi.spyOn(files, "truncate").mockRejectedValue(broken("EIO"));
    const problem = "cannot be brought back to its last good state: EIO";
    await expect(audit.write(auditRecord("m2"))).rejects.toMatchObject({
      message: expect.stringContaining(problem),
      errors: [{ cause: { code: "ENOSPC" } }, { cause: { code: "EIO" } }],
    });
    for (const id of ids(2, 3)) await expect(audit.write(auditRecord(id))).rejects.toThrow(problem);
    repair();
    await expect(audit.write(auditRecord("m5"))).rejects.toThrow(problem);
    stuck.mockRestore();
    await audit.write(auditRecord("m6"));
    expect(folder.lines().map(({ id }) => id)).toEqual(["m1", "m6"]);
    expect(await verifyAuditFiles([folder.file])).toMatchObject({ records: 2, problemCount: 0, notes: [] });
  });
});

describe("a disk that fails at the opening", () => {
  it.each(["sync", "truncate"] as const)(
    "refuses the file with the reason, and leaves no lock: it can be opened once the disk is repaired: %s",
    async (call) => {
      folder.put("{torn");
      const stuck = vi.spyOn(files, call).mockRejectedValue(broken("EIO"));
      const opened = folder.open();
      await expect(opened).rejects.toBeInstanceOf(AuditFileError);
      await expect(opened).rejects.toThrow(`${folder.file}: cannot be opened: EIO: the disk is broken`);
      expect([folder.sockets(), folder.openHandles()]).toEqual([[], []]);
      stuck.mockRestore();
      await (await folder.open()).write(auditRecord("m1"));
      expect(folder.lines()).toMatchObject([{ event: "torn", bytes: 5 }, { id: "m1" }]);
    },
  );

  it("never loses a torn line: it is on the disk in its own file before it is cut off", async () => {
    await folder.fill(1);
    folder.put(`${folder.text()}{torn`);
    const calls: string[] = [];
    for (const name of ["sync", "truncate"] as const) {
      const original: (...args: [number?]) => Promise<void> = files[name];
      vi.spyOn(files, name).mockImplementation(function (this: FileHandle, ...args: [number?]) {
        calls.push(name);
        return original.apply(this, args);
      });
    }
    await folder.open();
    // First the folder of the file, then the copy and its folder; in the end what is left of the file.
    expect(calls).toEqual(["sync", "sync", "sync", "truncate", "sync"]);
  });
});

describe("the rule by lane (D-LOG 3), with a file on a full disk", () => {
  it("a change is refused and not sent, a stop continues and is reported; then both are recorded again", async () => {
    const rig = await startTestRig({ audit: await folder.open() });
    const chief = rig.as("chief");
    const lost: string[] = [];
    rig.api.on("auditFailure", ({ record: { operation, stage } }) => void lost.push(`${operation} ${stage}`));
    const repair = fillDisk(10);
    await expect(chief.resumeTrading()).rejects.toMatchObject({ code: "AUDIT_UNAVAILABLE", status: 500 });
    await expect(chief.enableService({ name: "SIM" })).rejects.toMatchObject({ code: "AUDIT_UNAVAILABLE" });
    expect(rig.gate.seen).toEqual([]);
    await chief.haltTrading({ reason: "drill" });
    expect(rig.gate.seen).toHaveLength(1);
    expect(lost).toEqual(["resumeTrading intent", "enableService intent", "haltTrading intent", "haltTrading applied"]);
    repair();
    await chief.resumeTrading();
    expect(folder.lines()).toMatchObject([
      { operation: "resumeTrading", stage: "intent" },
      { operation: "resumeTrading", stage: "applied" },
    ]);
    await rig.close();
  });
});
