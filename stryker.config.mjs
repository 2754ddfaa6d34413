/** The folder below `src` that is mutated, such as `core/records`; it decides which tests look for the mutants, too. */
const room = process.env.ROOM ?? "core";
const report = `coverage/mutation/${room.replaceAll("/", "-")}`;

/** What is made once is made in the first test that needs it, so that no other test could find its mutants. */
const madeOnce = {
  shouldIgnore({ node }) {
    return node.type === "CallExpression" && node.callee.name === "once" ? "It is made once." : undefined;
  },
};

export const strykerPlugins = [{ kind: "Ignore", name: "once", value: madeOnce }];

export default {
  plugins: ["@stryker-mutator/vitest-runner", "./stryker.config.mjs"],
  ignorers: ["once"],
  testRunner: "vitest",
  vitest: { configFile: "vitest.mutation.config.ts", related: false },
  // Directory and identity provider have tests of their own: `ROOM=auth/ldap`, `ROOM=auth/token`.
  mutate: [`src/${room}/**/*.ts`, ...(room === "auth" ? ["!src/auth/{ldap,token}/**"] : [])],
  coverageAnalysis: "perTest",
  // What runs when modules are read, mostly schemas, descriptions and examples: each such mutant needs all tests. The
  // documents that are generated of them are compared with those in `docs`.
  ignoreStatic: true,
  concurrency: 2,
  timeoutMS: 20_000,
  timeoutFactor: 1,
  reporters: ["clear-text", "progress", "json"],
  jsonReporter: { fileName: `${report}.json` },
  incremental: true,
  incrementalFile: `${report}-known.json`,
  dryRunTimeoutMinutes: 20,
  tempDirName: "coverage/stryker",
  thresholds: { high: 90, low: 85, break: null },
};
