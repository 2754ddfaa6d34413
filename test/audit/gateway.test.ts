import { existsSync, readFileSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { verifyAuditFiles } from "../../src/audit/index.ts";
import { ConfigurationError } from "../../src/config/configuration-error.ts";
import { CHIEF, InstallationFolder } from "../gateway/folder.ts";
import { MUTATIONS } from "../requirements/support/endpoints.ts";
import { sendRaw } from "../support/raw-http.ts";

const SETTINGS = "admin.audit.file: audit.jsonl\n";

let folder: InstallationFolder;

beforeEach(() => {
  folder = new InstallationFolder();
});

afterEach(async () => {
  vi.restoreAllMocks();
  await folder.close();
});

/** Sends each mutation and answers the status of each. */
async function mutate(url: string): Promise<Record<string, number>> {
  const statuses: Record<string, number> = {};
  for (const { name, path, body = {} } of MUTATIONS) {
    const headers = { "Content-Type": "application/json", "X-Request-Id": name };
    const text = JSON.stringify(body);
    const request = { method: "POST", path: `/api/admin/v1${path}`, body: text, headers, authorization: CHIEF };
    statuses[name] = (await sendRaw(url, request)).status;
  }
  return statuses;
}

/** A status for each mutation: one for those that stop something, one for the others. */
function byLane(stop: number, change: number): Record<string, number> {
  return Object.fromEntries(
    MUTATIONS.map(({ name }) => [name, /^(halt|disable|disconnect)/.test(name) ? stop : change]),
  );
}

function auditLines(): Record<string, unknown>[] {
  const lines = readFileSync(folder.file("audit.jsonl"), "utf8").split("\n");
  return lines.slice(0, -1).map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe("the audit file of the gateway (admin.audit.file)", () => {
  it("D-LOG 4: every record is in the file and, with the same fields, in the monitor log", async () => {
    const { url } = await folder.start(SETTINGS);
    expect(await mutate(url)).toEqual(byLane(200, 200));
    const filed = auditLines().map(({ seq, previous, hash, ...record }) => record);
    const logged = folder.log().filter(({ stage }) => stage !== undefined);
    expect(logged.map(({ level, msg, ...record }) => record)).toEqual(filed);
    expect(filed.map(({ requestId, stage }) => [requestId, stage])).toEqual(
      MUTATIONS.flatMap(({ name }) => [
        [name, "intent"],
        [name, "applied"],
      ]),
    );
  });

  it("the log says at each start how far the chain goes, so that a shipped log vouches for the file", async () => {
    const gateway = await folder.start(SETTINGS);
    await mutate(gateway.url);
    await gateway.close();
    const { last } = await verifyAuditFiles([folder.file("audit.jsonl")]);
    await folder.start(SETTINGS);
    const opened = folder.log().filter(({ msg }) => msg === "Audit file: open");
    expect(opened).toMatchObject([{ records: 0 }, { records: last.seq, lastHash: last.hash }]);
  });

  it("does not exist unless it is configured; the log is the record then", async () => {
    const { url } = await folder.start("");
    await mutate(url);
    expect(existsSync(folder.file("audit.jsonl"))).toBe(false);
  });

  it("rotates at the configured size", async () => {
    const { url } = await folder.start(`${SETTINGS}admin.audit.max-file-size: 64KB\nadmin.audit.max-files: 2\n`);
    for (let round = 0; round < 12; round += 1) await mutate(url);
    const { files, problemCount } = await verifyAuditFiles([folder.file("audit.jsonl")]);
    expect({ files: files.length, problemCount }).toEqual({ files: 2, problemCount: 0 });
  });
});

describe("D-LOG 14: a monitor log that cannot be written, beside a file that can", () => {
  it("refuses nothing: every record is in the file, and the failure is reported", async () => {
    const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    const { url } = await folder.start(SETTINGS, "/dev/full");
    expect(await mutate(url)).toEqual(byLane(200, 200));
    expect(auditLines()).toHaveLength(2 * MUTATIONS.length);
    expect(warned.mock.calls).toEqual([["The monitor log cannot be written; audit records go to the file only"]]);
  });
});

describe("D-LOG 15: the start with an audit file that cannot be used", () => {
  it.each([
    ["a folder that is not there", "admin.audit.file: nowhere/audit.jsonl", "its folder does not exist; create it"],
    ["a folder in its place", "admin.audit.file: .", "is not a regular file"],
  ])("fails for %s, and says so", async (_, yaml, problem) => {
    const started = folder.start(yaml);
    await expect(started).rejects.toBeInstanceOf(ConfigurationError);
    await expect(started).rejects.toThrow(problem);
    await expect(started).rejects.toThrow(/^admin\.audit\.file: \//);
  });

  it("fails when another gateway writes the file", async () => {
    await folder.start(SETTINGS);
    await expect(folder.start(SETTINGS)).rejects.toThrow(/audit\.jsonl: is in use by process \d+; stop it/);
  });

  it("releases the file when it fails for another reason", async () => {
    const { url } = await folder.start("");
    await expect(folder.start(`${SETTINGS}server.port: ${new URL(url).port}`)).rejects.toThrow("the port is in use");
    const { url: second } = await folder.start(SETTINGS);
    expect(await mutate(second)).toEqual(byLane(200, 200));
  });

  it("D-LOG 3, D-LOG 15: succeeds on a broken disk: stops are sent and changes refused until the disk recovers", async () => {
    folder.write("audit.jsonl", "{torn");
    const handle = await open(folder.path);
    await handle.close();
    const broken = vi
      .spyOn(Object.getPrototypeOf(handle) as FileHandle, "sync")
      .mockRejectedValue(Object.assign(new Error("EIO: i/o error, fsync"), { code: "EIO" }));
    const { url } = await folder.start(SETTINGS);
    expect(await mutate(url)).toEqual(byLane(200, 500));
    const shouts = folder.log().filter(({ level, msg }) => level === "error" && /^AUDIT/.test(String(msg)));
    expect(shouts[0]?.msg).toMatch(/^AUDIT FILE UNAVAILABLE/);
    expect(shouts.slice(1).map(({ msg }) => msg)).toContain(
      "AUDIT RECORD LOST: a stop is sent without it, a change is refused",
    );
    broken.mockRestore();
    expect(await mutate(url)).toEqual(byLane(200, 200));
    expect(auditLines()).toMatchObject([{ event: "torn" }, ...Array(2 * MUTATIONS.length).fill({})]);
  });
});
