import { appendFileSync, readFileSync } from "node:fs";
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

  it("begins after the record that was seen last", async () => {
    await folder.fill(5, { maxFileBytes: 1_500 });
    follower = new TrailFollower(folder.file, 3, () => {});
    expect(await added()).toEqual(["m4", "m5"]);
  });

  it("takes a line when its end is there, and reports one that is no record", async () => {
    await folder.fill(1);
    const line = readFileSync(folder.file, "utf8").replace('"seq":1', '"seq":2').replace('"m1"', '"m2"');
    await added();
    appendFileSync(folder.file, line.slice(0, 50));
    expect(await added()).toEqual([]);
    appendFileSync(folder.file, `${line.slice(50)}no record\n`);
    expect(await added()).toEqual(["m2"]);
    expect(unreadable).toEqual(["is not a JSON object"]);
  });
});
