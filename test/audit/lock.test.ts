import { spawn } from "node:child_process";
import { once } from "node:events";
import { linkSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FileLock } from "../../src/audit/file-lock.ts";
import { AuditFolder, auditRecord } from "./folder.ts";

let folder: AuditFolder;

beforeEach(() => {
  folder = new AuditFolder();
});

afterEach(() => folder.close());

/** A process that holds the lock of the file as ours would, until it is killed. */
async function startHolder(): Promise<{ pid: number; kill: () => Promise<void> }> {
  const program = `
    const path = process.argv[1] + ".lock." + process.pid + ".0a1b2c3d";
    require("node:net").createServer().listen(path, () => console.log("ready"));`;
  const child = spawn(process.execPath, ["-e", program, folder.file], { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  const ended = once(child, "close");
  return {
    pid: child.pid ?? 0,
    kill: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

describe("D-LOG 15: two processes on one audit file", () => {
  it("are refused with the process id of the other; a process that was killed holds nothing", async () => {
    const holder = await startHolder();
    try {
      await expect(folder.open()).rejects.toThrow(
        `${folder.file}: is in use by process ${holder.pid}; stop it, or give this gateway its own file`,
      );
    } finally {
      await holder.kill();
    }
    expect(folder.sockets()).toHaveLength(1);
    const audit = await folder.open();
    await audit.write(auditRecord("m1"));
    expect(folder.sockets()).toEqual([expect.stringMatching(`^audit\\.jsonl\\.lock\\.${process.pid}\\.`)]);
  });

  it("can be asked for from outside: a lock is held as long as its process lives, and asking leaves it as it is", async () => {
    const holder = await startHolder();
    const [socket] = folder.sockets();
    expect(await FileLock.isHeld(folder.file)).toBe(true);
    await holder.kill();
    expect(await FileLock.isHeld(folder.file)).toBe(false);
    expect(folder.sockets()).toEqual([socket]);
    const audit = await folder.open();
    expect(await FileLock.isHeld(folder.file)).toBe(true);
    await audit.write(auditRecord("m1"));
    await audit.close();
    expect(await FileLock.isHeld(folder.file)).toBe(false);
  });

  it("are refused within one process too, and a refused one leaves nothing behind", async () => {
    const audit = await folder.open();
    await expect(folder.open()).rejects.toThrow(`is in use by process ${process.pid}`);
    expect(folder.sockets()).toHaveLength(1);
    await audit.close();
    expect(folder.sockets()).toEqual([]);
    await folder.open();
  });

  it("start at the same time: one of eight gets the file, the others are refused with its process id", async () => {
    const opened = await Promise.allSettled(Array.from({ length: 8 }, () => folder.open()));
    const refusals = opened.flatMap((result) => (result.status === "rejected" ? [String(result.reason)] : []));
    expect(refusals).toEqual(Array(7).fill(expect.stringContaining(`is in use by process ${process.pid}`)));
    expect(folder.sockets()).toHaveLength(1);
  });

  it("may have files of their own in one folder", async () => {
    await folder.open();
    await folder.open({ path: join(folder.path, "audit.jsonl.lock.jsonl") });
    await folder.open({ path: join(folder.path, "other.jsonl") });
    expect(folder.sockets()).toHaveLength(3);
  });

  it("are distinguished below a path that is too long for the address of a socket", async () => {
    const deep = join(folder.path, ...Array<string>(4).fill("a".repeat(60)));
    mkdirSync(deep, { recursive: true });
    const path = join(deep, "audit.jsonl");
    const audit = await folder.open({ path });
    await expect(folder.open({ path })).rejects.toThrow(`is in use by process ${process.pid}`);
    await audit.close();
    expect(folder.openHandles()).toEqual([]);
    await folder.open({ path });
  });

  it("leave a file and a socket alone that happen to have the name of a lock", async () => {
    writeFileSync(`${folder.file}.lock.notes`, "mine");
    const others = createServer().listen(join(folder.path, "others"));
    await once(others, "listening");
    // Renamed, it stays when its process has gone.
    renameSync(join(folder.path, "others"), `${folder.file}.lock.others`);
    await once(others.close(), "close");
    await folder.open();
    expect(folder.names()).toContain("audit.jsonl.lock.notes");
    expect(folder.sockets()).toContain("audit.jsonl.lock.others");
  });

  it("by two names: a hard link cannot be locked, so whoever opens one is warned, and each sees what the other wrote", async () => {
    const first = await folder.open();
    await first.write(auditRecord("m1"));
    linkSync(folder.file, join(folder.path, "linked.jsonl"));
    const warnings: string[] = [];
    const log = { info: () => {}, warn: (text: string) => void warnings.push(text), error: () => {} };
    const second = await folder.open({ path: join(folder.path, "linked.jsonl"), log });
    expect(warnings).toEqual([
      "Audit file: 1 other name (hard link) leads to it, under which another gateway could write it",
    ]);
    await second.write(auditRecord("m2"));
    await first.write(auditRecord("m3"));
    await second.write(auditRecord("m4"));
    expect(warnings).toContainEqual(expect.stringContaining("the size of the file was changed"));
  });
});
