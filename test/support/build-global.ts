import { spawnSync } from "node:child_process";
import type { TestProject } from "vitest/node";
import { buildProblem, ROOT } from "../package/build.ts";

/** Builds the package if the build is not that of the sources; with declarations, where tests read them, as `npm pack` does. */
export default function build({ config }: TestProject): void {
  const declarations = config.env.TEST_EXTENT === "everything";
  const problem = buildProblem(declarations);
  if (problem === undefined) return;
  process.stdout.write(`${problem}: it is built\n`);
  const [program, ...args] = declarations ? ["npm", "run", "--silent", "prepack"] : ["npx", "tsup", "--silent"];
  const { status } = spawnSync(program, args, { cwd: ROOT, stdio: "inherit" });
  if (status !== 0) throw new Error("The package cannot be built; see above");
}
