import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Where the programs are that only `npm run test:all` starts: half of all packages, which `npm ci` need not fetch. */
export const TOOLS = fileURLToPath(new URL("../tools/", import.meta.url));

/** Installs them, unless they are those of the lock file. */
export default function installTools(): void {
  const installed = `${TOOLS}node_modules/.package-lock.json`;
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(`${TOOLS}package-lock.json`).mtimeMs) return;
  const { status } = spawnSync("npm", ["ci", "--no-audit", "--no-fund"], { cwd: TOOLS, stdio: "inherit" });
  if (status !== 0) throw new Error(`The packages of ${TOOLS}package.json cannot be installed; see above`);
}
