import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { chainLine, GENESIS, sha256 } from "../../src/audit/chain.ts";
import { verifyAuditFiles } from "../../src/audit/index.ts";
import { printFinding } from "../../src/audit/verification.ts";
import { cases } from "../support/extent.ts";
import { outputOf } from "../support/output-of.ts";
import { AuditFolder, auditRecord, ids } from "./folder.ts";

let folder: AuditFolder;

beforeEach(() => {
  folder = new AuditFolder();
});

afterEach(() => folder.close());

/** The lines of a chain of that many records. */
function chain(count: number): string[] {
  let at = GENESIS;
  return ids(count).map((id) => {
    const next = chainLine(at, JSON.stringify(auditRecord(id)).slice(1, -1));
    at = next.at;
    return next.line;
  });
}

/** A record with other content in the place of one, with a hash that is right for it. */
function forged(line: string): string {
  const { seq, previous } = JSON.parse(line) as { seq: number; previous: string };
  return chainLine({ seq: seq - 1, hash: previous }, JSON.stringify(auditRecord("forged")).slice(1, -1)).line;
}

/** Every way to change one thing in the lines from `from` on; what comes out is never what went in. */
function tampered(lines: readonly string[], last: number): fc.Arbitrary<{ what: string; content: Buffer }> {
  const line = fc.nat(last);
  const text = (edited: readonly string[]): Buffer => Buffer.from(edited.join(""));
  const bytes = Buffer.from(lines.slice(0, last + 1).join("")).length;
  const whole = text(lines);
  const position = fc.nat(bytes - 1);
  const byte = fc.nat(255);
  return fc.oneof(
    fc.tuple(position, fc.integer({ min: 1, max: 255 })).map(([at, change]) => {
      const content = Buffer.from(whole);
      content[at] = (content[at] ?? 0) ^ change;
      return { what: `byte ${at} changed`, content };
    }),
    position.map((at) => ({
      what: `byte ${at} removed`,
      content: Buffer.concat([whole.subarray(0, at), whole.subarray(at + 1)]),
    })),
    fc.tuple(position, byte).map(([at, value]) => ({
      what: `byte ${value} inserted at ${at}`,
      content: Buffer.concat([whole.subarray(0, at), Buffer.of(value), whole.subarray(at)]),
    })),
    line.map((at) => ({ what: `line ${at} removed`, content: text(lines.toSpliced(at, 1)) })),
    fc.tuple(line, line).map(([at, of]) => ({
      what: `line ${of} inserted at ${at}`,
      content: text(lines.toSpliced(at, 0, lines[of] ?? "")),
    })),
    line.map((at) => ({ what: `line ${at} replaced`, content: text(lines.with(at, forged(lines[at] ?? ""))) })),
    line.map((at) => ({
      what: `line inserted at ${at}`,
      content: text(lines.toSpliced(at, 0, forged(lines[at] ?? ""))),
    })),
    fc
      .tuple(line, line)
      .filter(([a, b]) => a !== b)
      .map(([a, b]) => ({
        what: `lines ${a} and ${b} swapped`,
        content: text(lines.with(a, lines[b] ?? "").with(b, lines[a] ?? "")),
      })),
  );
}

describe("the chain shows that a record was removed, changed, reordered or inserted", () => {
  const lines = chain(6);
  const whole = Buffer.from(lines.join(""));

  it("anywhere but at the end, from the file alone", async () => {
    await fc.assert(
      fc.asyncProperty(tampered(lines, lines.length - 2), async ({ content }) => {
        fc.pre(!content.equals(whole));
        folder.put(content);
        const { problemCount, first } = await verifyAuditFiles([folder.file]);
        // Without its first records a trail looks like one whose older files are elsewhere; it says so.
        expect(problemCount > 0 || first.seq > 0).toBe(true);
      }),
      { numRuns: cases(1_000) },
    );
  }, 120_000);

  it("anywhere, with the hash of the last record noted elsewhere", async () => {
    const { hash } = JSON.parse(lines.at(-1) ?? "") as { hash: string };
    await fc.assert(
      fc.asyncProperty(tampered(lines, lines.length - 1), async ({ content }) => {
        fc.pre(!content.equals(whole));
        folder.put(content);
        const { problemCount, first, last } = await verifyAuditFiles([folder.file]);
        expect(problemCount > 0 || first.seq > 0 || last.hash !== hash).toBe(true);
      }),
      { numRuns: cases(1_000) },
    );
  }, 120_000);

  it("and is intact if nothing was touched", async () => {
    folder.put(whole);
    const found = await verifyAuditFiles([folder.file]);
    expect(found).toMatchObject({ records: 6, problemCount: 0, problems: [], notes: [], first: GENESIS });
  });

  it("and the report names the line and the fault", async () => {
    const problems = async (edited: readonly string[]): Promise<string[]> => {
      folder.put(edited.join(""));
      return (await verifyAuditFiles([folder.file])).problems.map(({ line, message }) => `${line}: ${message}`);
    };
    expect(await problems(lines.toSpliced(1, 2))).toEqual(["2: records 2 to 3 are missing before this line"]);
    expect(await problems(lines.toSpliced(2, 0, lines[1] ?? ""))).toEqual(["3: record 2 follows record 2"]);
    const withoutPlace = '{"id":"m3"';
    for (const noRecord of ["[]", `${withoutPlace},"hash":"${sha256(withoutPlace)}"}`, (lines[2] ?? "").slice(0, -3)]) {
      expect(await problems(lines.with(2, `${noRecord}\n`))).toEqual(["3: this is not a record of an audit chain"]);
    }
    expect(await problems(lines.with(3, (lines[3] ?? "").replace("chief", "thief")).toSpliced(4, 1))).toEqual([
      expect.stringMatching(/^4: record 4 was changed/),
      "5: records 5 to 5 are missing before this line",
    ]);
    const { hash } = JSON.parse(lines[1] ?? "") as { hash: string };
    expect(await problems([...lines.slice(0, 2), chainLine({ seq: 2, hash }, '"id":').line])).toEqual([
      "3: record 3 is not valid JSON",
    ]);
    expect(await problems([chainLine({ seq: 0, hash }, '"id":"m1"').line])).toEqual([
      "1: record 1 does not begin a chain",
    ]);
    expect(await problems(lines.with(3, forged(lines[3] ?? "")))).toEqual([
      "5: record 5 does not continue record 4: one of them was replaced",
    ]);
    expect(await problems(lines.with(3, (lines[3] ?? "").replace("chief", "thief")))).toEqual([
      expect.stringMatching(/^4: record 4 was changed: its hash is [0-9a-f]{64}, its bytes give [0-9a-f]{64}$/),
    ]);
  });

  it("and a full file without its first record is recognised by its name", async () => {
    folder.put(lines.slice(1).join(""), "audit.000000000001.jsonl");
    const { problems } = await verifyAuditFiles([join(folder.path, "audit.000000000001.jsonl")]);
    expect(problems).toMatchObject([{ line: 1, message: "the file begins with record 2, by its name it should be 1" }]);
  });

  it("and a torn line counts as a break unless it is the last of all", async () => {
    const torn = lines.join("").slice(0, -5);
    folder.put(torn, "audit.000000000001.jsonl");
    folder.put("");
    expect((await verifyAuditFiles([folder.file])).problems).toMatchObject([{ line: 6 }]);
    folder.put(torn, "last.jsonl");
    expect(await verifyAuditFiles([join(folder.path, "last.jsonl")])).toMatchObject({
      problemCount: 0,
      notes: [
        { line: 6, message: expect.stringMatching(/^the line is torn: \d+ bytes without a line end, as a crash/) },
      ],
    });
  });

  it("and says how many records follow one that is expected, or that it is not there", async () => {
    folder.put(whole);
    const hashes = lines.map((line) => (JSON.parse(line) as { hash: string }).hash);
    const following = async (hash?: string) => (await verifyAuditFiles([folder.file], hash)).recordsAfterExpected;
    expect(await Promise.all([following(hashes[5]), following(hashes[1]), following("0"), following()])).toEqual([
      0,
      4,
      undefined,
      undefined,
    ]);
  });

  it("and a finding is printed with the name of its file, and its line unless it is about the file as a whole", () => {
    const finding = { file: "/var/log/audit.jsonl", message: "is torn" };
    expect(printFinding({ ...finding, line: 12 })).toBe("audit.jsonl:12: is torn");
    expect(printFinding({ ...finding, line: 0 })).toBe("audit.jsonl: is torn");
  });

  it("and lists the first hundred breaks one by one, and counts all", async () => {
    folder.put("no record\n".repeat(150));
    const { problems, problemCount } = await verifyAuditFiles([folder.file]);
    expect([problems.length, problems.at(-1)?.line, problemCount]).toEqual([100, 100, 150]);
  });
});

describe("intents without an outcome", () => {
  it("are listed, as a crash leaves them, and do not count as a break", async () => {
    const audit = await folder.open();
    await folder.write(audit, ["a", "b", "c"]);
    await audit.write(auditRecord("a", { stage: "applied" }));
    await audit.write(auditRecord("c", { stage: "unknown" }));
    await audit.write(auditRecord("d", { stage: "denied" }));
    const { problemCount, openIntents } = await verifyAuditFiles([folder.file]);
    expect({ problemCount, ids: openIntents.map(({ id }) => id) }).toEqual({ problemCount: 0, ids: ["b"] });
  });
});

describe("docs/reference/audit-records.md is enough to write a verifier", () => {
  const document = readFileSync(new URL("../../docs/reference/audit-records.md", import.meta.url), "utf8");
  const program = /```python\n(.*?)```/s.exec(document)?.[1] ?? "";

  it("and the Python program printed there has the same result over a rotated trail", async () => {
    await folder.fill(20, { maxFileBytes: 3_000 });
    const { files, last } = await verifyAuditFiles([folder.file]);
    expect(files.length).toBeGreaterThan(2);
    const printed = outputOf("python3", ["-c", program, ...files]);
    expect(printed).toBe(`${last.seq} ${last.hash}\n`);
    folder.put(folder.text().replace("chief", "thief"));
    expect(() => outputOf("python3", ["-c", program, ...files], { stdio: "pipe" })).toThrow("was changed");
  });
});
