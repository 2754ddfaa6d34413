import { defineConfig } from "vitest/config";

// Where TEST_REPORT names a file, the counts go there for a caller that wants more than the exit code.
const report = process.env.TEST_REPORT;

/** The suites that run over every transport, as they are. */
const SUITES = { include: ["test/requirements/*.test.ts"], exclude: ["test/requirements/coverage.test.ts"] };

export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 60_000,
    ...(report && { reporters: ["default", "json"], outputFile: { json: report } }),
    projects: [
      { extends: true, test: { name: "in-process", include: ["test/**/*.test.ts"] } },
      { extends: true, test: { name: "websocket", ...SUITES, env: { ENGINE_TRANSPORT: "websocket" } } },
      {
        extends: true,
        test: {
          name: "nats",
          ...SUITES,
          env: { ENGINE_TRANSPORT: "nats" },
          globalSetup: ["test/support/nats-global.ts"],
        },
      },
    ],
  },
});
