import { build } from "esbuild";
import { defineConfig } from "tsup";

/** Public entries of the package, as in package.json#exports, and the command. */
export default defineConfig({
  entry: {
    index: "src/index.ts",
    node: "src/http/node.ts",
    express: "src/http/express.ts",
    auth: "src/auth/index.ts",
    audit: "src/audit/index.ts",
    client: "src/client/index.ts",
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
  onSuccess: buildDocsPage,
});

/** What the interactive page loads: it runs in browsers, so none of it is a module of Node. */
async function buildDocsPage(): Promise<void> {
  const folder = "src/openapi/page/browser";
  await build({
    entryPoints: [`${folder}/page.ts`, `${folder}/page.css`],
    outdir: "dist/docs-page",
    bundle: true,
    format: "iife",
    target: ["es2022", "chrome109", "firefox115", "safari16.4"],
    tsconfig: `${folder}/tsconfig.json`,
  });
}
