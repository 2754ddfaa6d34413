// Runs command lines one after the other in this process: the start of a process takes longer than most commands.
import { Readable, Writable } from "node:stream";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];

let runs = 0;

process.on("message", (order) => void run(order).then((ended) => process.send?.(ended)));
process.on("disconnect", () => process.exit());

async function run({ command, args, cwd, input, environment }) {
  const [stdout, stderr] = [collected(), collected()];
  process.chdir(cwd);
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, environment);
  process.argv = [process.execPath, command, ...args];
  process.exitCode = undefined;
  replace({
    stdin: Readable.from(input === "" ? [] : [Buffer.from(input)]),
    stdout: stdout.stream,
    stderr: stderr.stream,
  });
  runs += 1;
  await import(`${command}?${runs}`);
  for (const signal of SIGNALS) process.removeAllListeners(signal);
  return { code: process.exitCode ?? 0, stdout: stdout.text(), stderr: stderr.text() };
}

/** A stream like a pipe whose reader takes everything immediately. */
function collected() {
  const chunks = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString() };
}

function replace(streams) {
  for (const [name, value] of Object.entries(streams))
    Object.defineProperty(process, name, { value, configurable: true });
}
