import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "tsup";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROOT } from "../package/build.ts";
import { withWorld } from "./calls.ts";

/** Inputs and outputs of a bundle, as esbuild tells them. */
interface Metafile {
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly outputs: Readonly<Record<string, { readonly imports: readonly unknown[] }>>;
}

/** Bytes that a page may pay for all of the client, minified and then compressed. */
const MOST = { minified: 16_000, compressed: 6_500 };

describe("the client in a browser's bundle", () => {
  let folder: string;
  let file: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "trading-admin-bundle-"));
    await build({
      config: false,
      entry: { client: join(ROOT, "src/client/index.ts") },
      outDir: folder,
      format: "esm",
      platform: "browser",
      target: "es2022",
      noExternal: [/.*/],
      minify: true,
      metafile: true,
      silent: true,
    });
    file = join(folder, "client.js");
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("holds nothing but our own code, and little of the core", () => {
    const { inputs, outputs } = JSON.parse(readFileSync(join(folder, "metafile-esm.json"), "utf8")) as Metafile;
    const core = Object.keys(inputs).filter((path) => !path.startsWith("src/client/"));
    expect(core.toSorted()).toEqual(["src/core/base-path.ts", "src/core/clock.ts", "src/core/request-id.ts"]);
    expect(Object.values(outputs).flatMap(({ imports }) => imports)).toEqual([]);
  });

  it("names nothing that only Node has", () => {
    expect(readFileSync(file, "utf8")).not.toMatch(/\b(?:Buffer|process|require|__dirname|global)\b|node:/);
  });

  it(`is small: at most ${MOST.minified} bytes, ${MOST.compressed} compressed`, () => {
    const code = readFileSync(file);
    expect(code.length).toBeLessThan(MOST.minified);
    expect(gzipSync(code).length).toBeLessThan(MOST.compressed);
  });

  it("works as it is bundled", () =>
    withWorld(async (world) => {
      const { basic, createClient, NotAppliedError } = await import(/* @vite-ignore */ file);
      const client = createClient({ baseUrl: world.origin, credentials: basic("chief", "password of chief") });
      expect(await client.haltTrading()).toBeNull();
      await expect(client.disableService({ name: "a/b" })).rejects.toThrow(NotAppliedError);
    }));
});
