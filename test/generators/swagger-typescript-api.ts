import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { Ended, Generator, Limit } from "./generator.ts";
import { ended, inside } from "./workshop.ts";

const ARGUMENTS = ["generate", "-p", "./openapi.json", "-o", "generated", "-n", "api.ts", "--enum-style", "union"];

/** Puts the call around each name that goes into a path. */
export const HOOKS = 'export default { hooks: { onInsertPathParam: (name) => "encodeURIComponent(" + name + ")" } };\n';

const encoding: Limit = {
  cannot: "Encode names in paths: one with `/`, `?` or `#` reaches another path, perhaps of another operation",
  why: "the default template puts them in as they are",
  instead:
    "Generate with `--custom-config` and the hook `onInsertPathParam` below, or call it with `encodeURIComponent(name)`, always",
};

const refusals: Limit = {
  cannot: "Read why a command was refused: `error` is `null` where the success has no content",
  why: "it reads bodies only where the success has one",
  instead: "Read the response that is thrown: `await thrown.json()`, after a look at `thrown.status`",
};

const strictest: Limit = {
  cannot: "Compile its own code with `exactOptionalPropertyTypes`",
  why: "it passes `undefined` for an optional query",
  instead: "Keep the `// @ts-nocheck` that it writes at the top; callers are checked all the same",
  files: ["generated/api.ts"],
};

/** The file says that compilers shall not look at it. Here they shall. */
function letCheck(folder: string, run: Ended): Ended {
  if (run.code !== 0) return run;
  const path = join(folder, "generated/api.ts");
  const text = readFileSync(path, "utf8");
  if (!text.includes("// @ts-nocheck\n")) throw new Error(`${path} is checked without that`);
  writeFileSync(path, text.replace("// @ts-nocheck\n", ""));
  return run;
}

export const swaggerTypescriptApi: Generator = {
  name: "swagger-typescript-api",
  packages: ["swagger-typescript-api"],
  command: `swagger-typescript-api ${ARGUMENTS.join(" ")}`,
  caller: "swagger-typescript-api",
  generate: async (folder) => letCheck(folder, await ended(spawn("swagger-typescript-api", ARGUMENTS, inside(folder)))),
  shapes: {
    refusals: "thrown, as a response with `error` and `status`",
    emptyData: { value: null, says: "`null`" },
    emptyError: { value: expect.any(SyntaxError), says: "a `SyntaxError`" },
    emptyErrorOfCommand: { value: null, says: "`null`" },
  },
  limits: { strictest, encoding, refusals },
};

/** The same, told to encode what it puts into paths. */
export const encodingSwaggerTypescriptApi: Generator = {
  ...swaggerTypescriptApi,
  name: "swagger-typescript-api with a hook",
  command: `${swaggerTypescriptApi.command} --custom-config ./hooks.mjs`,
  generate: async (folder) => {
    writeFileSync(join(folder, "hooks.mjs"), HOOKS);
    const configured = [...ARGUMENTS, "--custom-config", "./hooks.mjs"];
    return letCheck(folder, await ended(spawn("swagger-typescript-api", configured, inside(folder))));
  },
  limits: { strictest, refusals },
};
