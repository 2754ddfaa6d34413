import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { verifyAuditFiles } from "../../src/audit/index.ts";
import { readLines } from "../../src/audit/lines.ts";
import type { AuditRecord } from "../../src/core/records/record.ts";
import { requireCommand, type Serving } from "../cli/command.ts";
import { Workplace } from "../cli/workplace.ts";
import { MUTATIONS } from "../requirements/support/endpoints.ts";
import { AUTHORIZATION, writeInstallation } from "./installation.ts";

const ROUNDS = 20;
const CALLERS = 24;

let workplace: Workplace;

beforeAll(requireCommand);

beforeEach(() => {
  workplace = new Workplace();
  // Small files, so that the gateway is killed in rotations too.
  writeInstallation(workplace, "admin.audit.max-file-size: 64KB\n");
});

afterEach(() => workplace.close());

/** Sends mutations one after the other until the gateway is gone, and notes which were answered 200. */
async function call(url: string, caller: string, answered: Set<string>): Promise<void> {
  for (let count = 0; ; count += 1) {
    const { path, body = {} } = MUTATIONS[count % MUTATIONS.length] ?? { path: "" };
    const requestId = `${caller}-${count}`;
    const headers = { Authorization: AUTHORIZATION, "Content-Type": "application/json", "X-Request-Id": requestId };
    try {
      const request = { method: "POST", headers, body: JSON.stringify(body) };
      const response = await fetch(`${url}/api/admin/v1${path}`, request);
      if (response.status === 200) answered.add(requestId);
      await response.arrayBuffer();
    } catch {
      // It was killed.
      return;
    }
  }
}

/** Kills a gateway in the middle of a stream of mutations, after that many were answered 200. */
async function killUnderLoad(round: number, answeredBefore: number): Promise<{ answered: Set<string>; log: string }> {
  const serving: Serving = await workplace.serve("--config", "application.yaml");
  const answered = new Set<string>();
  const callers = Array.from({ length: CALLERS }, (_, caller) => call(serving.url, `r${round}-c${caller}`, answered));
  await expect.poll(() => answered.size, { timeout: 60_000, interval: 1 }).toBeGreaterThanOrEqual(answeredBefore);
  await serving.stop("SIGKILL");
  await Promise.all(callers);
  return { answered, log: serving.stdout };
}

/** Ids of requests whose stop continued without a record, as the log says (D-LOG 3). */
function lostRecords(log: string): string[] {
  return log.split("\n").flatMap((line) => {
    if (!/AUDIT RECORD L(?:OST|ATE)/.test(line)) return [];
    return [(JSON.parse(line) as AuditRecord).requestId];
  });
}

/** Stages that are on the disk for each request. */
async function stagesByRequest(files: readonly string[]): Promise<Map<string, string[]>> {
  const stages = new Map<string, string[]>();
  for (const file of files) {
    for await (const { bytes, complete } of readLines(file)) {
      if (!complete) continue;
      const { requestId, stage } = JSON.parse(Buffer.from(bytes).toString()) as AuditRecord;
      if (requestId !== undefined) stages.set(requestId, [...(stages.get(requestId) ?? []), stage]);
    }
  }
  return stages;
}

describe("kill test: SIGKILL under a stream of mutations", () => {
  it(`D-LOG 2: ${ROUNDS} times on one file, every mutation with a 200 has its pair on disk, and the chain verifies`, async () => {
    const answered = new Set<string>();
    const lost = new Set<string>();
    for (let round = 0; round < ROUNDS; round += 1) {
      const least = 60 + ((round * 37) % 240);
      const killed = await killUnderLoad(round, least);
      expect(killed.answered.size).toBeGreaterThanOrEqual(least);
      for (const id of killed.answered) answered.add(id);
      for (const id of lostRecords(killed.log)) lost.add(id);
      expect(await verifyAuditFiles([workplace.file("audit.jsonl")])).toMatchObject({
        problems: [],
        first: { seq: 0 },
      });
    }
    // Only a stop may be answered without its record, and only because the disk took half a second.
    expect(lost.size).toBeLessThan(answered.size / 10);
    const { files, records } = await verifyAuditFiles([workplace.file("audit.jsonl")]);
    const stages = await stagesByRequest(files);
    const without = [...answered].filter((id) => !lost.has(id) && stages.get(id)?.join() !== "intent,applied");
    expect(without).toEqual([]);
    expect(files.length).toBeGreaterThan(10);
    const verified = await workplace.run(["audit", "verify", "audit.jsonl"]);
    expect(verified).toMatchObject({ code: 0, stderr: "" });
    expect(verified.stdout).toMatch(new RegExp(`^${records} records, chain intact, last hash [0-9a-f]{64}$`, "m"));
  }, 300_000);
});
