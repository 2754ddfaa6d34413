import { randomInt } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import type { Reporter } from "vitest/node";
import { StuckRun } from "./test/support/stuck-run.ts";

type ProjectSettings = NonNullable<TestProjectInlineConfiguration["test"]>;

// Where TEST_REPORT names a file, the counts go there for a caller that wants more than the exit code.
const report = process.env.TEST_REPORT;

/** Nothing but this package's sources and files. */
const UNIT = [
  "test/{core,config,policy}/**/*.test.ts",
  "test/engine/{*,fix/framing}.test.ts",
  "test/testing/{faults,rig}.test.ts",
  "test/auth/{*,guessing/*}.test.ts",
  "test/audit/{audit-file,engine-order,failure,follow,history,logged-audit,recovery,rotation}.test.ts",
  "test/cli/{arrange,safe-texts,tables,text-of-file,audit/filter,risk/{difference,plan,table-file},watch/changes}.test.ts",
  "test/{console/{choices-of,decimals},docs-page/commands}.test.ts",
  "test/docs/{access-files,errors,links,names,setting-names,site,snippets}.test.ts",
  "test/gateway/{actuator-turns,connections,engine-settings,log-events,request-log-limit,proxy/{hand-on,own-paths}}.test.ts",
  "test/http/{held-responses,identified,json-test-suite,page-key,parse-json}.test.ts",
  "test/openapi/{document,generator-rules}.test.ts",
  "test/package/{options,rooms,shared-names}.test.ts",
  "test/requirements/coverage.test.ts",
  "test/tls/{key-store,pem}.test.ts",
  "test/transports/{engine-clock,engine-presence,json-rpc,own-clock,parse-in-steps}.test.ts",
];

/** Chromium. */
const BROWSER = [
  "test/{console,docs-page}/**/!(choices-of|decimals|commands|served).test.ts",
  "test/client/browser.test.ts",
];

/** Programs of the operating system, a Docker engine, compilers of other languages, packages of `test/tools`. */
const SYSTEM = [
  "test/{containers,deploy,faults,install}/**/*.test.ts",
  "test/generators/clients.test.ts",
  "test/auth/ldap/*.test.ts",
  "test/transports/nats*.test.ts",
  "test/conformance/nats.test.ts",
  "test/cli/{audit/stream,completion-shells,engine,permissions-ldap}.test.ts",
  "test/examples/{cluster,java-*,nautilus-*,python-*,quickfixj-*}.test.ts",
  "test/gateway/{ldap,{audit-stream,shared}/*}.test.ts",
  "test/package/prepack.test.ts",
  "test/requirements/mechanisms.test.ts",
  "test/storm/behind-balancers.test.ts",
];

/** The machine for itself: halts in floods, and what compares times, heaps or what a process holds open. */
const STORM = [
  "test/storm/{floods,soak,storm,taken-time}.test.ts",
  "test/auth/basic-rejects.test.ts",
  "test/audit/kill.test.ts",
  "test/console/long-list.test.ts",
  "test/faults/flapping.test.ts",
  "test/gateway/{guessing,telemetry-request-log}.test.ts",
  "test/http/client-address-cost.test.ts",
  "test/package/import-cost.test.ts",
];

/** Requirements that a wire could break. */
const OVER_WIRES =
  "test/requirements/{adjustments,bad-requests,conventions,events,failures,fix-fields,fix,position-fields,positions,risk,services,states,trading}.test.ts";

/** What `npm run test:all` adds to `npm test`; elsewhere `EVERYTHING` adds cases. */
const LATER = [
  ...BROWSER,
  "test/{containers,deploy,examples,install}/**/*.test.ts",
  "test/generators/clients.test.ts",
  "test/cli/completion-shells.test.ts",
  "test/conformance/{kit-fails,nats,partial-engines}.test.ts",
  "test/docs/operations.test.ts",
  "test/gateway/{audit-stream/cluster,killed-neighbour,proxy/upgraded-sockets}.test.ts",
  "test/operations/nineteenth.test.ts",
  "test/package/{exports,names,prepack,types}.test.ts",
  "test/storm/{behind-balancers,rolling-restart,soak,storm}.test.ts",
  ...STORM.slice(1),
];

/** The package by its own name is its sources, as the compiler has it: programs of the documents run without a build. */
const { compilerOptions } = JSON.parse(readFileSync(new URL("tsconfig.json", import.meta.url), "utf8"));
const alias = Object.entries(compilerOptions.paths as Record<string, [string]>).map(([name, [path]]) => ({
  find: new RegExp(`^${name}$`),
  replacement: fileURLToPath(new URL(path, import.meta.url)),
}));

// One for all projects; given again, the same cases are made again.
process.env.FUZZ_SEED ??= String(randomInt(2 ** 31));

const seedOfFailures: Reporter = {
  onTestRunEnd(_modules, _errors, reason) {
    if (reason === "failed")
      process.stdout.write(`FUZZ_SEED=${process.env.FUZZ_SEED} makes the same generated cases again.\n`);
  },
};

export default defineConfig(({ mode }) => {
  const everything = mode === "everything";
  const later = everything ? [] : LATER;
  const prepared = everything ? "test/support/everything-global.ts" : "test/support/build-global.ts";

  /** A project with the name of what its tests need. */
  function project(name: string, include: string[], exclude: string[], settings: ProjectSettings) {
    const { env, ...rest } = settings;
    const extent = everything ? { TEST_EXTENT: "everything" } : {};
    const test = {
      name,
      include,
      exclude: ["**/node_modules/**", ...exclude, ...later],
      env: { ...extent, ...env },
      ...rest,
    };
    return { extends: true as const, test };
  }

  return {
    resolve: { alias },
    test: {
      testTimeout: 120_000,
      hookTimeout: 120_000,
      // What is awaited may take its time on a machine that is busy; a limit is there to fail, not to measure.
      expect: { poll: { timeout: 60_000 } },
      // Failures are what most tests bring about.
      execArgv: ["--disable-warning=TradingAdminWarning"],
      setupFiles: ["test/support/generated-cases.ts"],
      // Modules without state are read once for all files of a worker: to read them takes longer than most tests.
      isolate: false,
      // Most tests wait for other processes, so that several at a time are quicker, on two processors, too.
      maxWorkers: everything ? 8 : 6,
      reporters: ["default", new StuckRun(), seedOfFailures, ...(report ? ["json"] : [])],
      ...(report && { outputFile: { json: report } }),
      projects: [
        project("unit", UNIT, STORM, {}),
        project("process", ["test/**/*.test.ts"], [...UNIT, ...BROWSER, ...SYSTEM, ...STORM], {
          env: { SUITE_TRANSPORTS: "in-process websocket" },
          globalSetup: [prepared],
        }),
        // axe looks at each element of a page, which takes minutes where others need the processors, too.
        project("browser", BROWSER, [...UNIT, ...STORM], {
          globalSetup: [prepared],
          testTimeout: 600_000,
        }),
        project("system", [...SYSTEM, everything ? "test/requirements/*.test.ts" : OVER_WIRES], [...UNIT, ...STORM], {
          // Directories are programs of this machine in `npm test`, and in containers in `npm run test:all`.
          env: { SUITE_TRANSPORTS: "nats", ...(everything && { DIRECTORY: "container" }) },
          globalSetup: [
            prepared,
            "test/support/nats-global.ts",
            ...(everything ? ["test/support/docker-global.ts"] : []),
          ],
        }),
        // What it measures must not be disturbed: it runs when everything else has ended, one file after the other.
        project("storm", STORM, [], {
          globalSetup: [prepared],
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        }),
      ],
    },
  };
});
