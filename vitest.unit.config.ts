import { defineConfig } from "vitest/config";

/** The tests that need no server, no build and no other program, and are done within a minute. */
export default defineConfig({
  test: {
    testTimeout: 30_000,
    // Modules are read once for all files, and both processors work: what is left is the tests' own time.
    isolate: false,
    maxWorkers: 2,
    include: [
      "test/{core,config,engine}/**/*.test.ts",
      "test/auth/*.test.ts",
      "test/docs/{access-files,bus-*,errors,links,names,setting-names,snippets}.test.ts",
    ],
    exclude: ["test/auth/basic-rejects.test.ts", "test/docs/bus-wire.test.ts"],
  },
});
