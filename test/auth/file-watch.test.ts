import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { FileWatch } from "../../src/files/file-watch.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";

const folder = mkdtempSync(join(tmpdir(), "file-watch-"));
const path = join(folder, "rules.xml");

afterAll(() => rmSync(folder, { recursive: true }));

it("D-UAC 17: a change that could not be read is tried again, and is logged once: nobody keeps a right since a drive was away", async () => {
  const clock = new ManualClock();
  const errors: string[] = [];
  let applied = "";
  let isAway = false;
  writeFileSync(path, "first");
  const watch = await FileWatch.open({
    paths: [path],
    apply: async () => {
      if (isAway) throw new Error("EIO");
      applied = "read";
    },
    clock,
    log: { info: () => {}, warn: () => {}, error: (message) => void errors.push(message) },
    failure: "not reloaded",
  });
  const look = async (times: number): Promise<void> => {
    for (let time = 0; time < times; time += 1) {
      clock.advance(2_000);
      await expect.poll(() => clock.pending, { interval: 1 }).toBe(1);
    }
  };
  applied = "";
  isAway = true;
  writeFileSync(path, "second, which is longer");
  await look(20);
  expect(errors).toEqual(["not reloaded: EIO"]);
  isAway = false;
  await look(20);
  expect([applied, errors]).toEqual(["read", ["not reloaded: EIO"]]);
  applied = "";
  await look(20);
  expect(applied, "not again while all is well").toBe("");
  watch.close();
});
