import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "tsup";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROOT } from "../package/build.ts";
import { useChromium } from "../support/chromium.ts";
import { withWorld } from "./calls.ts";

/** Inputs and outputs of a bundle, as esbuild tells them. */
interface Metafile {
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly outputs: Readonly<Record<string, { readonly imports: readonly unknown[] }>>;
}

const MANUAL = readFileSync(join(ROOT, "docs/reference/client.md"), "utf8");

/** What a page does with the client. */
const IN_BROWSER = `import("/client.js").then(async ({ basic, confirmHalted, createClient }) => {
  const clientOf = (user) => createClient({ baseUrl: location.origin, credentials: basic(user, "password of " + user) });
  const chief = clientOf("chief");
  const halted = await chief.haltTrading({ reason: "é €" });
  const services = (await chief.listServices()).map(({ name }) => name);
  const shown = ({ name, reason, status }) => ({ name, reason, status });
  const unknown = await chief.disableService({ name: "a/b" }).catch(shown);
  const { name, status } = await clientOf("stranger").listServices().catch(shown);
  const confirmed = confirmHalted(chief, undefined, { timeoutMs: 1 }).then(() => true, (error) => error.name === "NotConfirmedError");
  return { halted, services, unknown, stranger: { name, status }, confirmed: await confirmed };
})`;

describe("the client in a browser's bundle", () => {
  const visit = useChromium();
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
    expect(core.toSorted()).toEqual([
      "src/core/clock.ts",
      "src/core/conventions.ts",
      "src/core/operations/confirmations.ts",
      "src/core/operations/operation.ts",
      "src/core/operations/target.ts",
      "src/core/options.ts",
      "src/core/records/record.ts",
      "src/core/timeout.ts",
      "src/core/values/basics.ts",
      "src/core/values/bounded-map.ts",
      "src/core/values/decimal-text.ts",
      "src/core/values/projection.ts",
    ]);
    expect(Object.values(outputs).flatMap(({ imports }) => imports)).toEqual([]);
  });

  it("names nothing that only Node has", () => {
    expect(readFileSync(file, "utf8")).not.toMatch(/\b(?:Buffer|process|require|__dirname|global)\b|node:/);
  });

  it("is at most as large as docs/reference/client.md says, minified and compressed", () => {
    const [, minified, compressed] = /at most ([\d.]+) kB minified, ([\d.]+) kB compressed/.exec(MANUAL) ?? [];
    const code = readFileSync(file);
    expect(code.length / 1_000).toBeLessThan(Number(minified));
    expect(gzipSync(code).length / 1_000).toBeLessThan(Number(compressed));
  });

  it("works as it is bundled", () =>
    withWorld(async (world) => {
      const { basic, createClient, NotAppliedError } = await import(/* @vite-ignore */ file);
      const client = createClient({ baseUrl: world.origin, credentials: basic("chief", "password of chief") });
      expect(await client.haltTrading()).toBeNull();
      await expect(client.disableService({ name: "a/b" })).rejects.toThrow(NotAppliedError);
    }));

  it("works in a real browser, on a page of the same server", async () => {
    await withWorld(async ({ origin }) => {
      const { page, problems } = await visit(origin);
      const html = { contentType: "text/html", body: "<!doctype html><title>Desk</title><link rel=icon href=data:,>" };
      await page.route("**/desk.html", (route) => route.fulfill(html));
      await page.route("**/client.js", (route) => route.fulfill({ contentType: "text/javascript", path: file }));
      await page.goto(`${origin}/desk.html`);
      expect(await page.evaluate(IN_BROWSER)).toEqual({
        halted: null,
        services: expect.arrayContaining(["SIM"]),
        unknown: { name: "NotAppliedError", reason: 'Unknown service "a/b"', status: 404 },
        stranger: { name: "DeniedError", status: 401 },
        confirmed: true,
      });
      // The browser itself tells of each response that is not a success.
      expect(problems.filter((problem) => !/the server responded with a status of 40[14]/.test(problem))).toEqual([]);
    });
  });
});
