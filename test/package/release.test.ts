import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { outputOf } from "../support/output-of.ts";
import { MANIFEST, ROOT } from "./build.ts";

interface Component {
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly licenses?: readonly unknown[];
  readonly hashes?: readonly unknown[];
}

interface BillOfMaterials {
  readonly bomFormat: string;
  readonly metadata: { readonly component: { readonly name: string; readonly version: string } };
  readonly components: readonly Component[];
}

interface Step {
  readonly name?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly uses?: string;
  readonly run?: string;
}

interface Job {
  readonly needs?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}

interface Workflow {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

const WORKFLOWS = join(ROOT, ".github/workflows");
const SETS_REPOSITORY = "The repository that the provenance names";

function workflow(file: string): Workflow {
  return parse(readFileSync(join(WORKFLOWS, file), "utf8")) as Workflow;
}

function stepsOf(file: string, job: string): readonly Step[] {
  return workflow(file).jobs[job]?.steps ?? [];
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "trading-admin-release-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function node(...args: readonly string[]): string {
  return outputOf(process.execPath, args, { cwd: ROOT });
}

describe("D-PKG 12: a release has a bill of materials", () => {
  it("it lists the runtime dependencies, with versions, licences and digests, and nothing else", () => {
    const bill = JSON.parse(node("deploy/sbom.mjs")) as BillOfMaterials;
    expect(bill.bomFormat).toBe("CycloneDX");
    expect(bill.metadata.component).toMatchObject({ name: MANIFEST.name, version: MANIFEST.version });
    const names = bill.components.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(Object.keys(MANIFEST.dependencies)));
    for (const developer of Object.keys(MANIFEST.devDependencies)) expect(names).not.toContain(developer);
    for (const { purl, licenses, hashes } of bill.components) {
      expect(purl).toMatch(/^pkg:npm\/.+@\d/);
      expect([purl, licenses?.length, hashes?.length]).toEqual([purl, 1, 1]);
    }
  });

  it("the release workflow makes it before it publishes, and attaches it to the release", () => {
    const runs = stepsOf("release.yml", "publish").map(({ run = "" }) => run);
    const at = (text: string): number => runs.findIndex((run) => run.includes(text));
    expect(at("deploy/sbom.mjs > sbom.cdx.json")).toBeGreaterThan(at("npm ci"));
    expect(at("npm publish --provenance")).toBeGreaterThan(at("deploy/sbom.mjs"));
    expect(runs.at(-1)).toMatch(/^gh release create .* sbom\.cdx\.json/);
  });
});

describe("D-PKG 13: what tests run cannot publish", () => {
  const { permissions, jobs } = workflow("release.yml");

  it("they have a job without rights, which the publication waits for", () => {
    expect(permissions).toEqual({ contents: "read" });
    expect(jobs.test?.permissions).toBeUndefined();
    expect(jobs.test?.steps.map(({ run }) => run)).toContain("npm run test:all");
    expect(jobs.publish?.needs).toBe("test");
    expect(jobs.publish?.steps.filter(({ run = "" }) => /npm (?:run )?test/.test(run))).toEqual([]);
  });

  it("no job leaves the token of the checkout in its folder", () => {
    const checkouts = Object.values(jobs).flatMap(({ steps }) =>
      steps.filter(({ uses = "" }) => /checkout@/.test(uses)),
    );
    expect(checkouts.map((step) => step.with)).toEqual(checkouts.map(() => ({ "persist-credentials": false })));
  });
});

describe("D-PKG 13: a release is published from the repository that its provenance names", () => {
  it.each([
    ["release.yml", "publish", "npm publish --provenance"],
    ["ci.yml", "package", "npm publish --dry-run"],
  ])("%s sets it from its own context before it publishes", (file, job, publishes) => {
    const steps = stepsOf(file, job);
    const sets = steps.findIndex(({ name }) => name === SETS_REPOSITORY);
    expect(steps.findIndex(({ run }) => run?.startsWith(publishes))).toBeGreaterThan(sets);
    const folder = temporaryFolder();
    cpSync(join(ROOT, "package.json"), join(folder, "package.json"));
    const environment = { GITHUB_SERVER_URL: "https://github.example", GITHUB_REPOSITORY: "desk/trading-admin-api" };
    const options = { cwd: folder, env: { ...process.env, ...environment } };
    outputOf("sh", ["-ec", steps[sets]?.run ?? "exit 1"], options);
    const { repository, ...rest } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    expect(repository).toEqual({ type: "git", url: "git+https://github.example/desk/trading-admin-api.git" });
    expect(rest).toEqual(JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")));
  });

  it("D-PKG 15: no tool for changesets is among the packages of developers", () => {
    expect(Object.keys(MANIFEST.devDependencies).filter((name) => name.includes("changeset"))).toEqual([]);
  });

  it("actions are pinned by the digest of a commit, with the version beside it", () => {
    const uses = readdirSync(WORKFLOWS).flatMap((file) => {
      const text = readFileSync(join(WORKFLOWS, file), "utf8");
      return [...text.matchAll(/^ *(?:- )?uses: (.*)$/gm)].map(([, action]) => `${file}: ${action}`);
    });
    expect(uses.length).toBeGreaterThan(5);
    for (const action of uses) expect(action).toMatch(/: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });
});
