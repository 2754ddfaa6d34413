import { createHash } from "node:crypto";
import { mkdirSync, statSync, symlinkSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { AuditFileError, verifyAuditFiles } from "../../src/audit/index.ts";
import { AuditFolder, auditRecord, ids } from "./folder.ts";

let folder: AuditFolder;

beforeEach(() => {
  folder = new AuditFolder();
});

afterEach(async () => {
  vi.restoreAllMocks();
  await folder.close();
});

/** What all open files do their work with: Node's own class, so that its calls can be counted and held up. */
async function fileHandleClass(): Promise<FileHandle> {
  const handle = await open(folder.path);
  await handle.close();
  return Object.getPrototypeOf(handle) as FileHandle;
}

describe("the audit file", () => {
  it("D-LOG 4: holds one JSON object a line with the fields of the record, and its place in the chain", async () => {
    const audit = await folder.open();
    const written = [auditRecord("a"), auditRecord("a", { stage: "applied", status: 200, durationMs: 1.5 })];
    for (const record of written) await audit.write(record);
    const lines = folder.lines();
    expect(lines.map(({ seq, previous, hash, ...record }) => record)).toEqual(written);
    expect(lines.map(({ seq }) => seq)).toEqual([1, 2]);
    expect(lines[0]?.previous).toBe("0".repeat(64));
    expect(lines[1]?.previous).toBe(lines[0]?.hash);
    expect(audit.last).toEqual({ seq: 2, hash: lines[1]?.hash });
  });

  it("the hash is SHA-256 of the bytes of the line before its hash member, as docs/reference/audit-records.md says", async () => {
    await folder.fill(3);
    const lines = folder.text().split("\n").slice(0, -1);
    expect(lines).toHaveLength(3);
    for (const line of lines) {
      const [hashed = "", hash] = line.split(',"hash":"');
      expect(`${createHash("sha256").update(hashed, "utf8").digest("hex")}"}`).toBe(hash);
    }
  });

  it("D-LOG 2: a write settles only when its record has been synchronised to the disk", async () => {
    const audit = await folder.open();
    const files = await fileHandleClass();
    const release: (() => void)[] = [];
    const { datasync } = files;
    vi.spyOn(files, "datasync").mockImplementation(async function (this: FileHandle) {
      await new Promise<void>((resolve) => release.push(resolve));
      return datasync.call(this);
    });
    let settled = false;
    const written = audit.write(auditRecord("a")).then(() => {
      settled = true;
    });
    await expect.poll(() => release.length).toBe(1);
    expect(folder.lines()).toHaveLength(1);
    expect(settled).toBe(false);
    release[0]?.();
    await written;
  });

  it("records that come while others are on their way are synchronised together, in the order in which they came", async () => {
    const audit = await folder.open();
    const synchronised = vi.spyOn(await fileHandleClass(), "datasync");
    await folder.write(audit, ids(500));
    expect(synchronised.mock.calls.length).toBeLessThan(10);
    expect(folder.lines().map(({ id }) => id)).toEqual(ids(500));
  });

  it("continues where the chain ended when it is opened again", async () => {
    for (const id of ids(5)) {
      const audit = await folder.open();
      await audit.write(auditRecord(id));
      await audit.close();
    }
    expect(folder.lines().map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
    expect(await verifyAuditFiles([folder.file])).toMatchObject({ records: 5, problemCount: 0, notes: [] });
    expect(folder.log).toEqual([]);
  });

  it("can be read by its owner only", async () => {
    await folder.fill(1);
    expect(statSync(folder.file).mode & 0o777).toBe(0o600);
  });

  it("keeps what was taken before it was closed, and takes nothing more", async () => {
    const audit = await folder.open();
    const written = folder.write(audit, ids(50));
    const closed = audit.close();
    await expect(audit.write(auditRecord("late"))).rejects.toThrow(`${folder.file}: is closed`);
    await Promise.all([written, closed, audit.close()]);
    expect(folder.lines()).toHaveLength(50);
    expect(folder.sockets()).toEqual([]);
  });

  it("leaves nothing open when it is closed, whatever happened to it before", async () => {
    await folder.fill(2);
    folder.put(`${folder.text()}{torn`);
    await folder.fill(20, { maxFileBytes: 2_000, maxFiles: 2 });
    expect(folder.names()).toEqual([
      "audit.000000000003.torn",
      expect.stringMatching(/^audit\.\d+\.jsonl$/),
      "audit.jsonl",
    ]);
    expect(folder.openHandles()).toEqual([]);
  });

  it("a symbolic link is followed: one file has one chain and one lock", async () => {
    mkdirSync(join(folder.path, "disk"));
    const real = join(folder.path, "disk", "audit.jsonl");
    await (await folder.open({ path: real })).close();
    symlinkSync(real, folder.file);
    const audit = await folder.open();
    expect(audit.path).toBe(real);
    await expect(folder.open({ path: real })).rejects.toThrow("is in use by process");
  });
});

/** The disk hangs until it is told to continue. */
async function hangDisk(): Promise<() => void> {
  const files = await fileHandleClass();
  let resume = (): void => {};
  const hanging = new Promise<void>((resolve) => {
    resume = resolve;
  });
  const { datasync } = files;
  vi.spyOn(files, "datasync").mockImplementation(async function (this: FileHandle) {
    await hanging;
    return datasync.call(this);
  });
  return resume;
}

describe("memory is bounded when the disk hangs", () => {
  it("holds 10,000 waiting records of changes, refuses further ones immediately, and writes the waiting ones in the end", async () => {
    const audit = await folder.open();
    const resume = await hangDisk();
    const first = audit.write(auditRecord("first"));
    const refusal = (id: string): Promise<void> => audit.write(auditRecord(id, { stage: "denied" }));
    const login = { stage: "login-refused", operation: null } as const;
    const refusals = ids(2_000).map(refusal);
    await expect(refusal("one too many")).rejects.toThrow("2000 records wait for the disk");
    await expect(audit.write(auditRecord("one too many", login))).rejects.toThrow("2000 records wait for the disk");
    const waiting = folder.write(audit, ids(10_000));
    await expect(audit.write(auditRecord("one too many"))).rejects.toThrow("10000 records wait for the disk");
    resume();
    await Promise.all([first, waiting, ...refusals]);
    await Promise.all([audit.write(auditRecord("after")), refusal("after")]);
    expect((await verifyAuditFiles([folder.file])).records).toBe(12_003);
  });

  it("D-LOG 2: the records of stops are written before all that wait, and have room of their own", async () => {
    const audit = await folder.open();
    const resume = await hangDisk();
    const reason = "x".repeat(64 * 1024);
    const change = (id: string): Promise<void> => audit.write(auditRecord(id, { lane: "change", reason }));
    const stop = (id: string): Promise<void> => audit.write(auditRecord(id, { lane: "stop" }));
    const order: string[] = [];
    const first = change("first");
    const refused: string[] = [];
    const changes = ids(1_100).map((id) =>
      change(id).then(
        () => order.push(id),
        () => refused.push(id),
      ),
    );
    const stops = ["s1", "s2"].map((id) => stop(id).then(() => order.push(id)));
    resume();
    await Promise.all([first, ...changes, ...stops]);
    expect(order.slice(0, 3)).toEqual(["s1", "s2", "m1"]);
    expect(refused).toContain("m1100");
    expect((await verifyAuditFiles([folder.file])).problems).toEqual([]);
  });

  it("holds 64 MiB of changes and 16 MiB of refusals, however few records that is", async () => {
    const audit = await folder.open();
    const resume = await hangDisk();
    const first = audit.write(auditRecord("first"));
    const reason = "x".repeat(4 * 1024 * 1024);
    const write = (id: string): Promise<void> => audit.write(auditRecord(id, { reason }));
    const refuse = (id: string): Promise<void> => audit.write(auditRecord(id, { reason, stage: "invalid" }));
    const waiting = [...ids(16).map(write), ...ids(4, 17).map(refuse)];
    await expect(write("one too many")).rejects.toThrow("16 records wait for the disk");
    await expect(refuse("one too many")).rejects.toThrow("4 records wait for the disk");
    resume();
    await Promise.all([first, ...waiting]);
    await Promise.all([write("after"), refuse("after")]);
    expect((await verifyAuditFiles([folder.file])).records).toBe(23);
  });
});

describe("a file that cannot be used is refused at the opening, with what to do", () => {
  it.each([
    ["a folder that does not exist", "nowhere/audit.jsonl", "its folder does not exist; create it"],
    ["a folder in place of the file", ".", "is not a regular file"],
    ["a file in place of its folder", "file/audit.jsonl", "cannot be opened: ENOTDIR"],
  ])("refuses %s", async (_, name, problem) => {
    folder.put("", "file");
    const opened = folder.open({ path: join(folder.path, name) });
    await expect(opened).rejects.toBeInstanceOf(AuditFileError);
    await expect(opened).rejects.toThrow(problem);
  });

  it("refuses a device, which takes everything and keeps nothing", async () => {
    await expect(folder.open({ path: "/dev/null" })).rejects.toThrow("/dev/null: is not a regular file");
  });

  it("refuses a folder in which it cannot be locked", async () => {
    const opened = folder.open({ path: "/proc/audit.jsonl" });
    await expect(opened).rejects.toBeInstanceOf(AuditFileError);
    await expect(opened).rejects.toThrow(
      /^\/proc\/audit\.jsonl: cannot be locked: .*its folder has to be on a local disk/,
    );
  });

  it.each([
    [{ maxFileBytes: 0 }, /^openAuditFile cannot use this `maxFileBytes`; it takes a whole number from 1 to/],
    [{ maxFileBytes: Number.NaN }, /^openAuditFile cannot use this `maxFileBytes`/],
    [{ maxFiles: 1 }, /^openAuditFile cannot use this `maxFiles`; it takes a whole number from 2 to/],
  ])("refuses the option %j", async (options, problem) => {
    await expect(folder.open(options)).rejects.toThrow(problem);
  });
});
