import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { ROOT, requireBuild } from "../package/build.ts";
import { CLEAN_ENVIRONMENT, type Consumer, openConsumer } from "../package/consumer.ts";

const TIMEOUT_MS = 20_000;

/** Source of an example: one that runs as it is ends in `.mjs`, others are TypeScript. */
export function exampleSource(name: string): string {
  return readFileSync(join(ROOT, "examples", name.endsWith(".mjs") ? name : `${name}.ts`), "utf8");
}

/** An example, compiled, in a project of its own that has the package installed. */
export interface InstalledExample {
  readonly consumer: Consumer;
  readonly file: string;
}

/** Installs an example; `change` may alter its code. */
export function installExample(name: string, change = (code: string): string => code): InstalledExample {
  requireBuild();
  const consumer = openConsumer();
  if (name.endsWith(".mjs")) return { consumer, file: consumer.write(name, change(exampleSource(name))) };
  const { outputText } = ts.transpileModule(exampleSource(name), {
    fileName: `${name}.ts`,
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true },
  });
  return { consumer, file: consumer.write(`${name}.js`, change(outputText)) };
}

/** What an example is started with. */
export interface Start {
  readonly args?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

/** An example that serves HTTP in a process of its own. */
export interface ServingExample {
  /** `http://127.0.0.1:` and the port. */
  readonly origin: string;
  /** What it has printed so far. */
  output(): string;
  /** Sends SIGTERM; answers the exit code, or the signal that ended it. */
  terminate(): Promise<number | string>;
  /** Ends it if it still runs, and clears up. */
  close(): Promise<void>;
}

/** Starts an example on any free port and waits until it prints its address. */
export async function serveExample(name: string, { args = [], environment = {} }: Start = {}): Promise<ServingExample> {
  const { consumer, file } = installExample(name);
  const child = spawn(process.execPath, [file, ...args], {
    cwd: consumer.folder,
    env: { ...CLEAN_ENVIRONMENT, PORT: "0", ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const close = async (): Promise<void> => {
    if (isRunning(child)) await end(child, "SIGKILL");
    consumer.close();
  };
  try {
    const origin = await printed(child, () => /(?:http|ws):\/\/127\.0\.0\.1:\d+(?=["/\s])/.exec(output)?.[0]);
    return { origin, output: () => output, terminate: () => end(child, "SIGTERM"), close };
  } catch (cause) {
    await close();
    throw new Error(`${name} did not start:\n${output}`, { cause });
  }
}

function isRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}

async function end(child: ChildProcess, signal: "SIGTERM" | "SIGKILL"): Promise<number | string> {
  const ended = once(child, "close", { signal: AbortSignal.timeout(TIMEOUT_MS) });
  child.kill(signal);
  const [code, killedBy] = (await ended) as [number | null, string | null];
  return code ?? killedBy ?? "neither exit code nor signal";
}

/** Waits until `find` finds something in what the program has printed. */
async function printed(child: ChildProcess, find: () => string | undefined): Promise<string> {
  const deadline = Date.now() + TIMEOUT_MS;
  while (Date.now() < deadline && isRunning(child)) {
    const found = find();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error("nothing was printed");
}
