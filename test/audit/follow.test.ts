import { appendFileSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { TrailFollower } from "../../src/audit/follow.ts";
import { AuditFolder, ids } from "./folder.ts";

let folder: AuditFolder;
let follower: TrailFollower;
let unreadable: string[];

beforeEach(() => {
  folder = new AuditFolder();
  unreadable = [];
  follower = new TrailFollower(folder.file, 0, ({ problem }) => unreadable.push(problem));
});

afterEach(async () => {
  await follower.close();
  await folder.close();
});

/** Ids of the records that were added since the last look. */
async function added(): Promise<string[]> {
  return (await follower.read()).map(({ record }) => record.id);
}

describe("following the audit trail", () => {
  it("reads no records from a file that does not exist yet, and each record once when it does", async () => {
    expect(await added()).toEqual([]);
    const audit = await folder.open();
    for (const id of ids(2)) await folder.write(audit, [id]);
    expect(await added()).toEqual(["m1", "m2"]);
    await folder.write(audit, ["m3"]);
    expect([await added(), await added()]).toEqual([["m3"], []]);
  });

  it("continues over rotations, however many there were since the last look", async () => {
    const audit = await folder.open({ maxFileBytes: 1_500 });
    await folder.write(audit, ["m1"]);
    expect(await added()).toEqual(["m1"]);
    for (const id of ids(20, 2)) await folder.write(audit, [id]);
    expect(folder.names().length).toBeGreaterThan(3);
    expect(await added()).toEqual(ids(20, 2));
    await folder.write(audit, ["m22"]);
    expect(await added()).toEqual(["m22"]);
  });

  it.each([{ maxFileBytes: 1_500 }, {}])("begins after the record that was seen last: %j", async (options) => {
    await folder.fill(5, options);
    follower = new TrailFollower(folder.file, 3, () => {});
    expect(await added()).toEqual(["m4", "m5"]);
  });

  it("takes a line when its end is there, and reports one that is not a record", async () => {
    await folder.fill(1);
    const line = readFileSync(folder.file, "utf8").replace('"seq":1', '"seq":2').replace('"m1"', '"m2"');
    await added();
    appendFileSync(folder.file, line.slice(0, 50));
    expect(await added()).toEqual([]);
    appendFileSync(folder.file, `${line.slice(50)}no record\n{"event":"torn"}\n`);
    expect(await added()).toEqual(["m2"]);
    expect(unreadable).toEqual(["is not a JSON object"]);
    await follower.close();
    expect(folder.openHandles()).toEqual([]);
  });

  it("reports with file and line what is not a record in files that were full since, and nothing of lines about the file itself", async () => {
    await folder.fill(1);
    folder.put(`${folder.text()}{torn`);
    await folder.fill(2);
    const undated = '{"seq":9,"id":"x","time":"2026-11-28TO1:49","stage":"intent"}';
    const strange = ["null", '"text"', '{"seq":9}', '{"seq":9,"id":"x","time":1,"stage":"intent"}', undated];
    folder.put(`${folder.text()}${strange.join("\n")}\n{"seq":10`, "audit.000000000001.jsonl");
    folder.put("");
    const reported: unknown[] = [];
    follower = new TrailFollower(folder.file, 0, (line) => reported.push(line));
    expect(await added()).toEqual(["m1", "m1", "m2"]);
    const file = join(folder.path, "audit.000000000001.jsonl");
    expect(reported).toEqual([
      { file, line: 5, problem: "is not a JSON object" },
      { file, line: 6, problem: "is not a JSON object" },
      { file, line: 7, problem: "is not an audit record" },
      { file, line: 8, problem: "is not an audit record" },
      { file, line: 9, problem: "is not an audit record" },
    ]);
    rmSync(folder.file);
    expect(await added()).toEqual([]);
  });
});
