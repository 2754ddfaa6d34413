import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { pythonWithWebsockets } from "./python-engine-runtime.ts";

const FOLDER = fileURLToPath(new URL("../../examples/python-engine", import.meta.url));
const READY = /^engine listening on (ws:\/\/\S+)\n/m;
const TIMEOUT_MS = 30_000;

/** The engine of `examples/python-engine`, in a process of its own. */
export interface PythonEngine {
  readonly url: string;
  /** What it wrote, both streams together. */
  output(): string;
  /** Sends SIGTERM; answers the exit code, or the signal that ended it. */
  terminate(): Promise<number | string>;
  /** Ends it if it still runs. */
  close(): Promise<void>;
}

/** Starts the engine on any free port and waits until it says that it listens. */
export async function startPythonEngine(
  args: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): Promise<PythonEngine> {
  const child = spawn(await pythonWithWebsockets(), ["engine.py", "--listen", "127.0.0.1:0", ...args], {
    cwd: FOLDER,
    // Byte code would be left behind in the folder of the example.
    env: { PATH: process.env.PATH, PYTHONDONTWRITEBYTECODE: "1", ...environment },
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
  };
  const url = await printed(child, () => READY.exec(output)?.[1]);
  if (url !== undefined) return { url, output: () => output, terminate: () => end(child, "SIGTERM"), close };
  await close();
  throw new Error(`The Python engine did not start:\n${output}`);
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

/** What `find` finds in what the program printed; undefined when it ended or stayed silent for too long. */
async function printed(child: ChildProcess, find: () => string | undefined): Promise<string | undefined> {
  const deadline = Date.now() + TIMEOUT_MS;
  while (Date.now() < deadline && isRunning(child)) {
    const found = find();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return undefined;
}
