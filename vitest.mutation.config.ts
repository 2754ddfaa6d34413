import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The folder below `src` whose mutants are looked for. */
const ROOM = process.env.ROOM ?? "core";

/** Tests that run the sources, not what was built of them, by the room or its first folder. */
const SUITES: Record<string, { include: string[]; exclude: string[] }> = {
  core: {
    include: ["test/{core,policy,requirements}/**/*.test.ts", "test/openapi/document.test.ts"],
    exclude: [
      "test/requirements/{authentication,authorization,coverage,description,events,mechanisms,purpose,same-answers}.test.ts",
    ],
  },
  http: {
    include: [
      "test/http/*.test.ts",
      "test/requirements/*.test.ts",
      "test/{console,docs-page}/served.test.ts",
      "test/gateway/page-keys.test.ts",
    ],
    exclude: ["test/http/client-address-cost.test.ts", "test/requirements/{coverage,mechanisms}.test.ts"],
  },
  audit: { include: ["test/audit/*.test.ts"], exclude: ["test/audit/{command,gateway,kill}.test.ts"] },
  auth: {
    include: ["test/auth/**/*.test.ts", "test/http/stop-logins.test.ts"],
    exclude: ["test/auth/basic-rejects.test.ts", "test/auth/{ldap,token}/**"],
  },
  "auth/ldap": { include: ["test/auth/ldap/*.test.ts"], exclude: [] },
  "auth/token": { include: ["test/auth/token/*.test.ts"], exclude: [] },
};

/** Tests that take seconds, and the room that they are about: every survivor of another room would wait for them in vain. */
const SLOW: Record<string, string> = {
  "test/core/{failed-logins,record-size,refusals}.test.ts": "core/records",
  "test/core/stop-order.test.ts": "core/calls",
  "test/http/{early-answers,guard-server}.test.ts": "http/guard",
};

/** Quick files first: most mutants are found by one of them. */
class QuickFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const durations = new Map(files.map((file) => [file, this.#durationOf(file)]));
    return files.toSorted((a, b) => (durations.get(a) ?? 0) - (durations.get(b) ?? 0));
  }

  #durationOf({ project, moduleId }: TestSpecification): number {
    const key = `${project.name}:${moduleId.slice(this.ctx.config.root.length + 1)}`;
    return this.ctx.cache.getFileTestResults(key)?.duration ?? 0;
  }
}

const suite = SUITES[ROOM] ?? SUITES[ROOM.split("/")[0] ?? ""];
if (!suite) throw new Error(`ROOM must be src/http, or a folder of src/core, src/audit or src/auth, is ${ROOM}`);
const slow = Object.entries(SLOW).flatMap(([files, room]) => (room.startsWith(ROOM) ? [] : [files]));

export default defineConfig({
  test: {
    // A mutant that keeps a test waiting is found when the test gives up.
    testTimeout: 15_000,
    hookTimeout: 15_000,
    // Elsewhere it is a minute; Vitest's own second is too short on a machine that is busy, and would count as a mutant found.
    expect: { poll: { timeout: 10_000 } },
    // Mutants are looked for among equal cases.
    env: { FUZZ_SEED: "1" },
    setupFiles: ["test/support/generated-cases.ts"],
    // Modules are read once for all files: to read them takes longer than most tests.
    isolate: false,
    sequence: { sequencer: QuickFirst },
    include: suite.include,
    exclude: [...suite.exclude, ...slow],
  },
});
