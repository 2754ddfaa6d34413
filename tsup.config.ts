import { build } from "esbuild";
import { defineConfig } from "tsup";

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
  clean: true,
  sourcemap: true,
  // Messages lead to the documents there; without it, to those of the package.
  env: { SITE_URL: process.env.SITE_URL ?? "" },
  onSuccess: buildPages,
});

async function buildPages(): Promise<void> {
  await buildPage("src/openapi/page/browser", "page", "dist/docs-page");
  await buildPage("src/console/page", "console", "dist/console-page");
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
