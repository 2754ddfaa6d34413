import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

// Where TEST_REPORT names a file, the counts go there for a caller that wants more than the exit code.
const report = process.env.TEST_REPORT;

/** The suites that run over every transport, as they are. */
const SUITES = { include: ["test/requirements/*.test.ts"], exclude: ["test/requirements/coverage.test.ts"] };

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
    ...(report && { reporters: ["default", "json"], outputFile: { json: report } }),
    projects: [
      {
        extends: true,
        test: { name: "in-process", include: ["test/**/*.test.ts"], exclude: ["test/{containers,storm}/**"] },
      },
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
      {
        extends: true,
        test: {
          name: "storm",
          include: ["test/storm/*.test.ts"],
          // What it measures must not be disturbed: it runs when everything else has ended.
          sequence: { groupOrder: 1 },
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
          globalSetup: ["test/support/docker-global.ts"],
        },
      },
    ],
  },
});
