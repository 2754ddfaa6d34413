import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { simulate } from "../../dist/testing.js";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: String(randomInt(2 ** 31)) },
    histories: { type: "string", default: "1000" },
  },
});
const seed = whole("seed", values.seed);
const histories = whole("histories", values.histories);

const began = process.cpuUsage();
const report = await simulate({ seed, histories });
const { user } = process.cpuUsage(began);
const aMinute = Math.round(report.histories / (user / 60e6));
process.stdout.write(`${report.histories} histories from seed ${seed}, ${aMinute} for each minute of CPU time\n`);

if (report.failure) {
  const { problems, history, seed: failed } = report.failure;
  process.stdout.write(
    `\n${history}\n\n${problems.join("\n")}\n\nAgain: npm run simulate -- --seed ${failed} --histories 1\n`,
  );
  process.exitCode = 1;
}

/** An option that is a whole number. */
function whole(name, text) {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  process.stderr.write(`--${name} must be a whole number, is ${JSON.stringify(text)}\n`);
  process.exit(2);
}
