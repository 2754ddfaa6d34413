import { copyFileSync, readdirSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ENTRIES, ROOT, requireDeclarations } from "./build.ts";
import { type Consumer, type Ended, openConsumer } from "./consumer.ts";

const COMPILER = join(ROOT, "node_modules", "typescript", "bin", "tsc");

/** A user's compiler as strict as it can be; it checks our declarations too. */
const STRICT = {
  target: "ES2022",
  lib: ["ES2023"],
  types: ["node"],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  noEmit: true,
  listFiles: true,
};

const RESOLUTIONS = [
  ["node16", { module: "node16", moduleResolution: "node16" }],
  ["bundler", { module: "preserve", moduleResolution: "bundler" }],
] as const;

describe("the declarations, for a consumer's compiler", () => {
  let consumer: Consumer;
  const files: string[] = [];

  beforeAll(() => {
    requireDeclarations();
    consumer = openConsumer();
    const examples = readdirSync(join(ROOT, "examples")).filter((name) => name.endsWith(".ts"));
    const sources = [
      fileURLToPath(new URL("usage.ts", import.meta.url)),
      ...examples.map((name) => join(ROOT, "examples", name)),
    ];
    for (const source of sources) {
      const name = source.slice(source.lastIndexOf("/") + 1);
      copyFileSync(source, join(consumer.folder, name));
      files.push(name);
    }
  });

  afterAll(() => consumer?.close());

  function compile(options: object, include: readonly string[]): Promise<Ended> {
    const project = { compilerOptions: { ...STRICT, ...options }, files: include };
    return consumer.node(COMPILER, "-p", consumer.write("tsconfig.json", JSON.stringify(project)));
  }

  it.each(RESOLUTIONS)("compile with module resolution %s, as do the usage and all examples", async (_, options) => {
    expect(files.length).toBeGreaterThan(3);
    const { code, stdout } = await compile(options, files);
    const lines = stdout.trim().split("\n");
    expect({ code, errors: lines.filter((line) => !isAbsolute(line)) }).toEqual({ code: 0, errors: [] });
    // What was compiled is the build, not the sources behind it.
    const used = [
      ...files.map((name) => join(consumer.folder, name)),
      ...ENTRIES.map(({ types }) => join(ROOT, types)),
    ];
    expect(lines).toEqual(expect.arrayContaining(used));
    expect(lines.filter((file) => file.startsWith(join(ROOT, "src")))).toEqual([]);
  });

  it("compile for a page, whose compiler knows the DOM and nothing of Node: the client", async () => {
    const page = `
      import { basic, bearer, confirmHalted, createClient } from "trading-admin-api/client";
      const baseUrl = location.origin;
      const credentials = bearer(() => sessionStorage.getItem("token") ?? "");
      const client = createClient({ baseUrl, credentials, fetch: (url, init) => fetch(url, { ...init, mode: "cors" }) });
      document.title = (await confirmHalted(client, "", { signal: new AbortController().signal })).reason ?? "";
      createClient({ baseUrl, credentials: basic("operator", "secret"), fetch });`;
    const [, [, bundler]] = RESOLUTIONS;
    consumer.write("page.ts", page);
    const { code, stdout } = await compile({ ...bundler, lib: ["ES2022", "DOM"], types: [], listFiles: false }, [
      "page.ts",
    ]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
  });
});
