import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { CACHE } from "./debian-packages.ts";

const run = promisify(execFile);

/** A Python package that brings the JSON Schemas of the versions of Kubernetes. */
const PACKAGE = "kubernetes-validate==1.37.0";
const ENVIRONMENT = join(CACHE, "kubernetes-validate");

/**
 * Checks manifests against the schemas of a version of Kubernetes, unknown fields included, and answers one line for each:
 * `passed`, or what is wrong. The checker is fetched once, below `node_modules/.cache`.
 */
export async function validateManifests(manifests: string, version: string): Promise<readonly string[]> {
  if (!existsSync(ENVIRONMENT)) await provision();
  const folder = await mkdtemp(join(tmpdir(), "manifests-"));
  try {
    const file = join(folder, "manifests.yaml");
    await writeFile(file, manifests);
    // Its own first line names another Python than the one that runs it, as the environment was moved.
    const args = ["-m", "kubernetes_validate", "--strict", "-k", version, file];
    const { stdout, stderr } = await run(join(ENVIRONMENT, "bin", "python3"), args).catch(failedCheck);
    return `${stdout}${stderr}`.split("\n").filter((line) => line !== "");
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Exit code 1 comes with findings. */
function failedCheck(error: Error & { stdout?: string; stderr?: string }): { stdout: string; stderr: string } {
  const { stdout = "", stderr = "" } = error;
  if (stdout === "" && stderr === "") throw error;
  return { stdout, stderr };
}

/** Others may do the same at this moment: the first to be ready is kept. */
async function provision(): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  const folder = await mkdtemp(join(CACHE, "building-"));
  try {
    await run("python3", ["-m", "venv", folder]);
    const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", PACKAGE];
    await run(join(folder, "bin", "python3"), pip);
    await rename(folder, ENVIRONMENT);
  } catch (cause) {
    if (!existsSync(ENVIRONMENT)) {
      throw new Error(
        `These tests need Python 3 and its package ${PACKAGE}, and it cannot be installed under node_modules/.cache ` +
          `(Debian: apt-get install python3 python3-venv): ${(cause as Error).message}`,
        { cause },
      );
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
