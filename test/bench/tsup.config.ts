import { defineConfig } from "tsup";

/** What benchmarks have in TypeScript. */
export default defineConfig({
  entry: [
    "test/bench/transports.ts",
    "test/bench/transport-peer.ts",
    "test/bench/gateways.ts",
    "test/bench/console.ts",
  ],
  external: ["playwright-core"],
  outDir: "node_modules/.cache/trading-admin/bench",
  format: "esm",
  target: "node20",
  platform: "node",
});
