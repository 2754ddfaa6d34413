import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { parseAllDocuments, stringify } from "yaml";
import { CACHE } from "./debian-packages.ts";
import { until } from "./until.ts";

const run = promisify(execFile);

export const CHART = fileURLToPath(new URL("../../deploy/chart", import.meta.url));

const MODULE = "helm.sh/helm/v3/cmd/helm@v3.22.0";
const HELM = join(CACHE, "helm");
const HOW_TO =
  "These tests need Helm 3, and there is none: install it, or set HELM to its path; with Go on the search path they build it " +
  `themselves (go install ${MODULE})`;

/** The Kubernetes for which the chart is rendered. */
export const KUBERNETES = "1.34.0";

/** Time that building Helm may take, for hooks. */
export const HELM_TIMEOUT_MS = 900_000;

/**
 * Finds `helm`: what `HELM` names, else on the search path, else built from its Go module below `node_modules/.cache`. Rejects
 * with what to do when there is none.
 */
async function findHelm(): Promise<string> {
  const named = process.env.HELM;
  if (named !== undefined) {
    if (existsSync(named)) return named;
    throw new Error(`HELM names ${named}, which does not exist`);
  }
  const folders = (process.env.PATH ?? "").split(delimiter).filter(Boolean);
  const found = folders.map((folder) => join(folder, "helm")).find(existsSync);
  if (found !== undefined) return found;
  if (!existsSync(HELM)) await build();
  return HELM;
}

/** Why the chart cannot be rendered here; undefined where it can. What `HELM` names has to be there. */
export async function missingHelm(): Promise<string | undefined> {
  try {
    await findHelm();
    return undefined;
  } catch (error) {
    if (process.env.HELM !== undefined) throw error;
    const reason = (error as Error).message.split("\n")[0] ?? "";
    process.stdout.write(`chart: it is not rendered here; its schema and files are checked without Helm. ${reason}\n`);
    return reason;
  }
}

/** Builds it, or waits for another process that builds it at this moment: it takes minutes of all cores. */
async function build(): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  const folder = join(CACHE, "building-helm");
  try {
    await mkdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return untilGone(folder);
  }
  try {
    await run("go", ["install", MODULE], { cwd: folder, env: { ...process.env, GOBIN: folder, GOFLAGS: "" } });
    await rename(join(folder, "helm"), HELM);
  } catch (cause) {
    throw new Error(`${HOW_TO}. That failed: ${(cause as Error).message}`, { cause });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function untilGone(folder: string): Promise<void> {
  const what = `${HOW_TO}. Another process has tried and failed, or ${folder} is left from one`;
  await until(() => !existsSync(folder), what, { limitMs: HELM_TIMEOUT_MS, everyMs: 500 });
  if (!existsSync(HELM)) throw new Error(what);
}

/** An object of Kubernetes, as far as the tests look into it. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  // biome-ignore lint/suspicious/noExplicitAny: what follows depends on the kind; the schemas of Kubernetes check it
  readonly [field: string]: any;
}

/** What a chart gives with some values. */
export interface Rendered {
  readonly text: string;
  readonly manifests: readonly Manifest[];
}

/** Renders the chart as `helm install trading` would. Rejects with Helm's own message. */
export async function renderChart(values: object): Promise<Rendered> {
  const text = await withValues(values, async (file) => {
    const args = [
      "template",
      "trading",
      CHART,
      "--namespace",
      "engine",
      "--kube-version",
      KUBERNETES,
      "--values",
      file,
    ];
    return (await run(await findHelm(), args)).stdout;
  });
  const documents = parseAllDocuments(text).map((document) => {
    if (document.errors.length > 0) throw document.errors[0];
    return document.toJS() as Manifest | null;
  });
  return { text, manifests: documents.filter((manifest) => manifest !== null) };
}

/** What `helm lint --strict` says. Rejects when it finds something wrong. */
export async function lintChart(values: object): Promise<string> {
  return withValues(values, async (file) => {
    const args = ["lint", "--strict", CHART, "--kube-version", KUBERNETES, "--values", file];
    return (await run(await findHelm(), args)).stdout;
  });
}

async function withValues<T>(values: object, task: (file: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "chart-values-"));
  try {
    const file = join(folder, "values.yaml");
    await writeFile(file, stringify(values));
    return await task(file);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The one manifest of a kind. */
export function only(kind: string, { manifests }: Rendered): Manifest {
  const [manifest, ...others] = manifests.filter((candidate) => candidate.kind === kind);
  if (manifest === undefined || others.length > 0) throw new Error(`not one ${kind}`);
  return manifest;
}
