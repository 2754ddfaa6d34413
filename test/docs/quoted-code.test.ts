import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ROOT } from "../package/build.ts";

/** Pages whose JavaScript is taken from the examples, by a line that names the example. */
const PAGES = ["embed/policy.md", "embed/users.md", "test/rig.md"];

const BLOCK = /```js\n([\s\S]*?)```/g;

function squeezed(code: string): string {
  return code.replace(/^ +/gm, "").trim();
}

const examples = readdirSync(join(ROOT, "examples"))
  .filter((name) => name.endsWith(".mjs"))
  .map((name) => squeezed(readFileSync(join(ROOT, "examples", name), "utf8")));

it.each(PAGES)("docs/%s: the code that it shows of an example is that of the example", (page) => {
  const blocks = [...readFileSync(join(ROOT, "docs", page), "utf8").matchAll(BLOCK)].map(([, code = ""]) =>
    squeezed(code),
  );
  const foreign = blocks.filter((code) => !examples.some((example) => example.includes(code)));
  expect(foreign.filter((code) => !code.startsWith("const log = {"))).toEqual([]);
});
