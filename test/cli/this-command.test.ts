import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it, onTestFinished } from "vitest";
import { commandAnywhere, hasManualPage, thisCommand } from "../../src/cli/process.ts";

const argv = [...process.argv];

afterEach(() => {
  process.argv = [...argv];
});

it.each([
  ["a clone", "/srv/it's/dist/cli/main.js", "node '/srv/it'\\''s/dist/cli/main.js'", undefined],
  [
    "a project's packages",
    "/app/node_modules/.bin/trading-admin",
    "node /app/node_modules/.bin/trading-admin",
    "npx trading-admin",
  ],
  ["a global installation", "/usr/bin/trading-admin", "trading-admin", undefined],
])("lines to paste name the program of %s so that any folder's shell finds it", (_, script, anywhere, here) => {
  process.argv[1] = script;
  expect([commandAnywhere(), thisCommand()]).toEqual([anywhere, here ?? anywhere]);
});

it("man trading-admin is named where npm has put the manual page: beside the programs of a global installation", () => {
  const prefix = mkdtempSync(join(tmpdir(), "trading-admin-prefix-"));
  onTestFinished(() => rmSync(prefix, { recursive: true }));
  process.argv[1] = join(prefix, "bin/trading-admin");
  expect(hasManualPage()).toBe(false);
  mkdirSync(join(prefix, "share/man/man1"), { recursive: true });
  writeFileSync(join(prefix, "share/man/man1/trading-admin.1"), "");
  expect(hasManualPage()).toBe(true);
  process.argv[1] = join(prefix, "node_modules/.bin/trading-admin");
  expect(hasManualPage()).toBe(false);
});
