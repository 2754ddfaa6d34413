import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

// Where TEST_REPORT names a file, the counts go there for a caller that wants more than the exit code.
const report = process.env.TEST_REPORT;

/** The suites that run over every transport, as they are. */
const SUITES = { include: ["test/requirements/*.test.ts"], exclude: ["test/requirements/coverage.test.ts"] };

/** Tests that compare times, heaps or what a process holds open: each has the machine for itself. */
const MEASURING = [
  "test/auth/basic-rejects.test.ts",
  "test/audit/kill.test.ts",
  "test/conformance/*.test.ts",
  "test/console/long-list.test.ts",
  "test/faults/flapping.test.ts",
  "test/gateway/guessing.test.ts",
  "test/gateway/telemetry-request-log.test.ts",
  "test/http/client-address.test.ts",
  "test/package/import-cost.test.ts",
  "test/transports/{nats,websocket-close}.test.ts",
];

/** Most tests wait for other processes, so that two at a time are quicker on two processors too. */
const TOGETHER = { maxWorkers: 2, sequence: { groupOrder: 0 } };

/** The package by its own name is its sources, as the compiler has it: programs of the documents run without a build. */
const { compilerOptions } = JSON.parse(readFileSync(new URL("tsconfig.json", import.meta.url), "utf8"));
const alias = Object.entries(compilerOptions.paths as Record<string, [string]>).map(([name, [path]]) => ({
  find: new RegExp(`^${name}$`),
  replacement: fileURLToPath(new URL(path, import.meta.url)),
}));

export default defineConfig({
  resolve: { alias },
  test: {
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // What is awaited may take its time on a machine that is busy; a limit is there to fail, not to measure.
    expect: { poll: { timeout: 10_000 } },
    ...(report && { reporters: ["default", "json"], outputFile: { json: report } }),
    projects: [
      {
        extends: true,
        test: {
          name: "in-process",
          include: ["test/**/*.test.ts"],
          exclude: ["test/{containers,storm}/**", ...MEASURING],
          ...TOGETHER,
        },
      },
      { extends: true, test: { name: "websocket", ...SUITES, ...TOGETHER, env: { ENGINE_TRANSPORT: "websocket" } } },
      {
        extends: true,
        test: {
          name: "nats",
          ...SUITES,
          ...TOGETHER,
          env: { ENGINE_TRANSPORT: "nats" },
          globalSetup: ["test/support/nats-global.ts"],
        },
      },
      {
        extends: true,
        test: { name: "measuring", include: MEASURING, fileParallelism: false, sequence: { groupOrder: 1 } },
      },
      {
        extends: true,
        test: {
          name: "storm",
          include: ["test/storm/*.test.ts"],
          // What it measures must not be disturbed: it runs when everything else has ended.
          sequence: { groupOrder: 2 },
          fileParallelism: false,
        },
      },
      {
        extends: true,
        test: {
          name: "containers",
          include: ["test/containers/*.test.ts", "test/auth/ldap/*.test.ts"],
          exclude: ["test/auth/ldap/{ldap-file,ranges}.test.ts"],
          env: { DIRECTORY: "container" },
          // The machine's memory and the engine are shared.
          fileParallelism: false,
          sequence: { groupOrder: 1 },
          globalSetup: ["test/support/docker-global.ts"],
        },
      },
    ],
  },
});
