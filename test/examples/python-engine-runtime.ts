import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);

const CACHED = fileURLToPath(new URL("../../node_modules/.cache/trading-admin/python", import.meta.url));

const HOW_TO = [
  "examples/python-engine needs Python 3.9 or newer with the package websockets 13 or newer, and neither was found nor could",
  "it be installed. Install python3 and run: pip install websockets",
  "(Debian: apt-get install python3 python3-venv; the test then installs websockets under node_modules/.cache)",
].join("\n");

/**
 * A Python that has the package `websockets`: the machine's own, else one in a virtual environment under
 * `node_modules/.cache`, made when it is not there yet. Throws with what to install when neither can be had.
 */
export async function pythonWithWebsockets(): Promise<string> {
  if (await hasWebsockets("python3")) return "python3";
  if (!(await hasWebsockets(pythonIn(CACHED)))) await provision();
  if (await hasWebsockets(pythonIn(CACHED))) return pythonIn(CACHED);
  throw new Error(HOW_TO);
}

function pythonIn(environment: string): string {
  return join(environment, "bin", "python3");
}

async function hasWebsockets(python: string): Promise<boolean> {
  try {
    await run(python, ["-c", "import sys, websockets.asyncio.server; sys.exit(sys.version_info < (3, 9))"]);
    return true;
  } catch {
    // Whatever is wrong with this Python, the next one is tried; who finds none says what to install.
    return false;
  }
}

/** Builds apart and moves into place, so that nobody ever sees half an environment. */
async function provision(): Promise<void> {
  await mkdir(dirname(CACHED), { recursive: true });
  const building = await mkdtemp(`${CACHED}-`);
  try {
    await run("python3", ["-m", "venv", building]);
    await run(pythonIn(building), ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "websockets"]);
    await moveIntoPlace(building);
  } catch (cause) {
    throw new Error(HOW_TO, { cause });
  } finally {
    await rm(building, { recursive: true, force: true });
  }
}

async function moveIntoPlace(building: string): Promise<void> {
  // What is there and does not work is an environment whose Python was removed from the machine.
  if (existsSync(CACHED) && !(await hasWebsockets(pythonIn(CACHED)))) {
    await rm(CACHED, { recursive: true, force: true });
  }
  try {
    await rename(building, CACHED);
  } catch (error) {
    // Another run was faster: its environment is as good.
    if (!(await hasWebsockets(pythonIn(CACHED)))) throw error;
  }
}
