import { defineConfig } from "vitest/config";

/** The tests that mutants of `src/core`, `src/audit` and `src/auth` are to be found by: without servers of others, and quick. */
export default defineConfig({
  test: {
    testTimeout: 30_000,
    include: ["test/{core,audit,auth}/**/*.test.ts"],
    exclude: ["test/audit/kill.test.ts", "test/auth/{ldap,token}/**"],
  },
});
