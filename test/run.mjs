import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

// `npm test` and `npm run test:all`: Vitest, and beside it `npm run check`, which does not fill two processors. Where the check fails, the tests end, too.
const vitest = fileURLToPath(new URL("../node_modules/vitest/vitest.mjs", import.meta.url));
const tests = spawn(process.execPath, [vitest, "run", ...process.argv.slice(2)], { stdio: "inherit" });
const check = spawn("npm run check", { shell: true, stdio: ["ignore", "pipe", "pipe"] });

let output = "";
for (const stream of [check.stdout, check.stderr]) {
  stream.setEncoding("utf8").on("data", (text) => {
    output += text;
  });
}

check.on("close", (code) => {
  if (code === 0) return;
  process.stderr.write(`${output}\nnpm run check failed, and ends the tests; see above\n`);
  process.exitCode = 1;
  tests.kill("SIGINT");
});

tests.on("close", (code) => {
  process.exitCode ||= code ?? 1;
});
