import { renameSync, rmSync } from "node:fs";
import { build } from "esbuild";
import { defineConfig } from "tsup";

/** Where the package is, and where it is built: a gateway that runs from it keeps its modules until all of the new ones are there. */
const BUILT = "dist";
const NEW = `dist.new-${process.pid}`;
const OLD = `dist.old-${process.pid}`;

/** Public entries of the package, as in package.json#exports, and the command. */
export default defineConfig({
  entry: {
    index: "src/index.ts",
    extend: "src/extend.ts",
    node: "src/http/node.ts",
    express: "src/http/express.ts",
    auth: "src/auth/index.ts",
    audit: "src/audit/index.ts",
    client: "src/client/index.ts",
    console: "src/console/index.ts",
    engine: "src/engine/index.ts",
    gateway: "src/gateway/index.ts",
    openapi: "src/openapi/index.ts",
    policy: "src/policy/index.ts",
    testing: "src/testing/index.ts",
    "transports/in-process": "transports/in-process.ts",
    "transports/websocket": "transports/websocket.ts",
    "transports/nats": "transports/nats.ts",
    "cli/main": "src/cli/main.ts",
  },
  format: "esm",
  target: "node20",
  platform: "node",
  splitting: true,
  outDir: NEW,
  clean: true,
  sourcemap: true,
  // Messages lead to the documents there; without it, to those of the package.
  env: { SITE_URL: process.env.SITE_URL ?? "" },
  onSuccess: finish,
});

async function finish(): Promise<void> {
  await buildPage("src/openapi/page/browser", "page", `${NEW}/docs-page`);
  await buildPage("src/console/page", "console", `${NEW}/console-page`);
  // Declarations are still being made.
  process.once("exit", (code) => {
    if (code === 0) replace();
    rmSync(NEW, { recursive: true, force: true });
  });
}

function replace(): void {
  try {
    renameSync(BUILT, OLD);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  try {
    renameSync(NEW, BUILT);
  } catch (error) {
    renameSync(OLD, BUILT);
    throw error;
  }
  rmSync(OLD, { recursive: true, force: true });
}

/** Script and style of a page: they run in browsers, so none of it is a module of Node. */
async function buildPage(folder: string, name: string, outdir: string): Promise<void> {
  await build({
    entryPoints: [`${folder}/${name}.ts`, `${folder}/${name}.css`],
    outdir,
    bundle: true,
    format: "iife",
    target: ["es2022", "chrome109", "firefox115", "safari16.4"],
    tsconfig: `${folder}/tsconfig.json`,
  });
}
