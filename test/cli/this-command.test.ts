import { afterEach, expect, it } from "vitest";
import { commandAnywhere, thisCommand } from "../../src/cli/process.ts";

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
