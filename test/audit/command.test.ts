import { readFileSync, rmSync } from "node:fs";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openAuditFile } from "../../src/audit/index.ts";
import { requireCommand } from "../cli/command.ts";
import { Workplace } from "../cli/workplace.ts";
import { auditRecord, ids } from "./folder.ts";

let workplace: Workplace;

beforeAll(requireCommand);

beforeEach(() => {
  workplace = new Workplace();
});

afterEach(() => workplace.close());

/** Makes a trail of that many pairs and answers its last hash. */
async function makeTrail(count: number, maxFileBytes = 1_000_000): Promise<string> {
  const audit = await openAuditFile({ path: workplace.file("audit.jsonl"), maxFileBytes });
  for (const id of ids(count)) {
    await audit.write(auditRecord(id));
    await audit.write(auditRecord(id, { stage: "applied", status: 200 }));
  }
  await audit.close();
  return audit.last.hash;
}

function edit(change: (text: string) => string, name = "audit.jsonl"): void {
  workplace.write(name, change(readFileSync(workplace.file(name), "utf8")));
}

const verify = (...args: string[]) => workplace.run(["audit", "verify", ...args]);

describe("trading-admin audit verify", () => {
  it("says how many records there are, that the chain is intact, and its last hash", async () => {
    const hash = await makeTrail(3);
    expect(await verify("audit.jsonl")).toEqual({
      code: 0,
      stdout: `file: audit.jsonl\n6 records, chain intact, last hash ${hash}\n`,
      stderr: "",
    });
  });

  it("finds the rotated files of the current one, and takes files one by one", async () => {
    const hash = await makeTrail(10, 3_000);
    const { code, stdout } = await verify("audit.jsonl");
    const files = [...stdout.matchAll(/^file: (.*)$/gm)].flatMap(([, file]) => file ?? []);
    expect(files.length).toBeGreaterThan(2);
    expect({ code, end: stdout.trimEnd().split("\n").at(-1) }).toEqual({
      code: 0,
      end: `20 records, chain intact, last hash ${hash}`,
    });
    expect((await verify(...files)).stdout).toBe(stdout);
    const second = await verify(files[1] ?? "");
    expect(second.code).toBe(0);
    expect(second.stdout).toMatch(/^note: records 1 to \d+ are not in these files; the hash before is [0-9a-f]{64}$/m);
  });

  it("names file and line of each break, exit code 1", async () => {
    await makeTrail(3);
    edit((text) => text.replace('"id":"m2"', '"id":"mX"'));
    const { code, stdout } = await verify("audit.jsonl");
    expect(code).toBe(1);
    expect(stdout).toMatch(/^BROKEN: audit\.jsonl:3: record 3 was changed: its hash is /m);
    expect(stdout).toMatch(/^6 records, chain BROKEN in 1 place, last hash [0-9a-f]{64}$/m);
  });

  it("says that the current file is missing, exit code 1", async () => {
    await makeTrail(10, 3_000);
    rmSync(workplace.file("audit.jsonl"));
    const { code, stdout } = await verify("audit.jsonl");
    expect(code).toBe(1);
    expect(stdout).toMatch(/^BROKEN: audit\.jsonl: the file is missing: the end of the chain is not there$/m);
    expect(stdout).toMatch(/^\d+ records, chain BROKEN in 1 place, last hash [0-9a-f]{64}$/m);
  });

  it("notes the same when the rotated files are given by name, as in a folder that they were shipped to, exit code 0", async () => {
    await makeTrail(10, 3_000);
    rmSync(workplace.file("audit.jsonl"));
    const names = [...(await verify("audit.jsonl")).stdout.matchAll(/^file: (.*)$/gm)].flatMap(
      ([, file]) => file ?? [],
    );
    const { code, stdout } = await verify(...names);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^note: audit\.jsonl: the file is not there: how the trail ends is not verified$/m);
  });

  it("notes a torn last line and intents without outcome, exit code 0", async () => {
    await makeTrail(3);
    edit((text) => text.slice(0, -7));
    const { code, stdout } = await verify("audit.jsonl");
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^note: audit\.jsonl:6: the line is torn: \d+ bytes without a line end, as a crash in mid-write/m,
    );
    expect(stdout).toContain(
      "note: 1 intent without outcome: what happened to it is not recorded\n" +
        "  m3 2026-01-05T09:31:00.000001Z haltTrading by chief\n5 records, chain intact",
    );
  });

  it("shows with --expect-last that the newest records were removed, or that others were added", async () => {
    const hash = await makeTrail(3);
    expect((await verify("audit.jsonl", "--expect-last", hash.toUpperCase())).code).toBe(0);
    const first = JSON.parse(readFileSync(workplace.file("audit.jsonl"), "utf8").split("\n")[0] ?? "").hash as string;
    const grown = await verify("audit.jsonl", "--expect-last", first);
    expect(grown).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("UNEXPECTED END: 5 records after the one"),
    });
    edit((text) => text.split("\n").slice(0, -2).concat("").join("\n"));
    const cut = await verify("audit.jsonl", "--expect-last", hash);
    expect(cut).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("UNEXPECTED END: no record has the expected"),
    });
    expect(await verify("audit.jsonl")).toMatchObject({ code: 0 });
    expect(await verify("audit.jsonl", "--expect-last", "123")).toEqual({
      code: 1,
      stdout: "",
      stderr: "trading-admin: --expect-last: must be a hash as this command prints it, 64 hexadecimal digits\n",
    });
  });

  it("lets no forged record steer the terminal, and says of another file that it is not an audit file", async () => {
    await makeTrail(1);
    edit((text) => text.replaceAll("chief", "\\u001b[2Jchief").replace(/^.*applied.*\n/m, ""));
    expect((await verify("audit.jsonl")).stdout).not.toContain("\u001b");
    workplace.write("notes.txt", "a\nb\n".repeat(100));
    const { code, stdout } = await verify("notes.txt");
    expect(code).toBe(1);
    expect(stdout.match(/^BROKEN: notes\.txt:\d+: this is not a record of an audit chain$/gm)).toHaveLength(100);
    expect(stdout).toContain("BROKEN: and 100 more");
  });

  it.each([
    [["nowhere.jsonl"], 1],
    [[], 2],
    [["--all", "audit.jsonl"], 2],
  ] as const)("%j is refused with a message, and exit code %i", async (args, refusal) => {
    const { code, stdout, stderr } = await verify(...args);
    expect({ code, stdout }).toEqual({ code: refusal, stdout: "" });
    expect(stderr).toMatch(
      /^trading-admin: (.*nothing was done; |name an audit file, or a stream|there is no audit file nowhere\.jsonl)/,
    );
  });
});
