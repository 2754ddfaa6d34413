import { defineConfig } from "tsup";

/** The benchmark of the transports, from the sources. */
export default defineConfig({
  entry: ["test/bench/transports.ts", "test/bench/transport-peer.ts"],
  outDir: "node_modules/.cache/trading-admin/bench",
  format: "esm",
  target: "node20",
  platform: "node",
});
