import { defineConfig } from "vitest/config";

// Where TEST_REPORT names a file, the counts go there for a caller that wants more than the exit code.
const report = process.env.TEST_REPORT;

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    ...(report && { reporters: ["default", "json"], outputFile: { json: report } }),
  },
});
