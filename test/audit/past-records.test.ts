import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { pastRecords } from "../../src/audit/past-records.ts";
import { AuditFolder, ids } from "./folder.ts";

let folder: AuditFolder;
let unreadable: string[];

beforeEach(() => {
  folder = new AuditFolder();
  unreadable = [];
});

afterEach(() => folder.close());

async function read(records: AsyncIterable<{ readonly id: string }>): Promise<string[]> {
  const found: string[] = [];
  for await (const { id } of records) found.push(id);
  return found;
}

const past = (): ReturnType<typeof pastRecords> =>
  pastRecords(folder.file, ({ line, problem }) => unreadable.push(`${line}: ${problem}`));

it("the records of a trail are those of all its files, in order; what is written later is not among them, whatever is rotated", async () => {
  const audit = await folder.open({ maxFileBytes: 1_500 });
  for (const id of ids(9)) await folder.write(audit, [id]);
  const records = await past();
  for (const id of ids(9, 10)) await folder.write(audit, [id]);
  expect(folder.names().length).toBeGreaterThan(4);
  expect(await read(records)).toEqual(ids(9));
});

it("D-ENG 19: an audit file has the records from before it was opened, however often they are asked for, and whatever is rotated", async () => {
  const before = await folder.open({ maxFileBytes: 1_500 });
  for (const id of ids(9)) await folder.write(before, [id]);
  await before.close();
  const audit = await folder.open({ maxFileBytes: 1_500 });
  for (const id of ids(9, 10)) await folder.write(audit, [id]);
  expect(await read(audit.history)).toEqual(ids(9));
  expect(await read(audit.history)).toEqual(ids(9));
});

it("a line of an audit file that cannot be read is left out of what it knows from before, and is in its log", async () => {
  const before = await folder.open({ maxFileBytes: 1_500 });
  for (const id of ids(9)) await folder.write(before, [id]);
  await before.close();
  const audit = await folder.open({ maxFileBytes: 1_500 });
  const [oldest = ""] = folder.names().filter((name) => /\d{12}/.test(name));
  writeFileSync(join(folder.path, oldest), "no record\n");
  expect((await read(audit.history)).at(-1)).toBe("m9");
  expect(folder.warnings()).toEqual(["Audit file: a line was left out of what is known from earlier"]);
});

it("a trail that is empty, or not there, has none", async () => {
  expect(await read(await past())).toEqual([]);
  await folder.open();
  expect(await read(await past())).toEqual([]);
});

it("a full file that is removed meanwhile is left out, and so is a line that cannot be read", async () => {
  const audit = await folder.open({ maxFileBytes: 1_500 });
  for (const id of ids(9)) await folder.write(audit, [id]);
  const records = await past();
  const [oldest = "", second = ""] = folder.names().filter((name) => /\d{12}/.test(name));
  rmSync(join(folder.path, oldest));
  writeFileSync(join(folder.path, second), "no record\n");
  const found = await read(records);
  expect(found.at(-1)).toBe("m9");
  expect(found.length).toBeLessThan(9);
  expect(unreadable).toEqual(["1: is not a JSON object"]);
});
