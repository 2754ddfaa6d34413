import { spawnSync } from "node:child_process";
import { buildProblem, ROOT } from "../package/build.ts";

/** Builds the package, without declarations, if the build is not that of the sources. */
export default function build(): void {
  const problem = buildProblem(false);
  if (problem === undefined) return;
  process.stdout.write(`${problem}: it is built\n`);
  const { status } = spawnSync("npx", ["tsup", "--silent"], { cwd: ROOT, stdio: "inherit" });
  if (status !== 0) throw new Error("The package cannot be built; see above");
}
