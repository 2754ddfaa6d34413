import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, statSync } from "node:fs";
import { buildProblem, ROOT, TOOLS } from "../package/build.ts";
import { findChromium } from "./open-chromium.ts";

/** Fetches what takes long while the package is built, unless an earlier run did: tests that begin together would fetch it once each. */
export default async function prepare(): Promise<void> {
  await Promise.all([build(), installTools(), findChromium()]);
}

/** As `npm pack` does, with declarations. */
async function build(): Promise<void> {
  const problem = buildProblem(true);
  if (problem === undefined) return;
  process.stdout.write(`${problem}: it is built\n`);
  await succeed(["run", "--silent", "prepack"], ROOT);
}

/** Installs them, unless they are those of the lock file. */
async function installTools(): Promise<void> {
  const installed = `${TOOLS}node_modules/.package-lock.json`;
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(`${TOOLS}package-lock.json`).mtimeMs) return;
  await succeed(["ci", "--no-audit", "--no-fund"], TOOLS);
}

async function succeed(args: readonly string[], cwd: string): Promise<void> {
  const [code] = await once(spawn("npm", args, { cwd, stdio: "inherit" }), "close");
  if (code !== 0) throw new Error(`npm ${args.join(" ")} failed in ${cwd}; see above`);
}
