import { fileURLToPath } from "node:url";
import { pythonWithWebsockets } from "./python-engine-runtime.ts";
import { type ServingProcess, startServing } from "./serving-process.ts";

const FOLDER = fileURLToPath(new URL("../../examples/python-engine", import.meta.url));

/** Starts the engine of `examples/python-engine` on any free port and waits until it says that it listens. */
export async function startPythonEngine(
  args: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): Promise<ServingProcess> {
  // Byte code would be left behind in the folder of the example.
  const env = { PATH: process.env.PATH, PYTHONDONTWRITEBYTECODE: "1", ...environment };
  const command = ["engine.py", "--listen", "127.0.0.1:0", ...args];
  return startServing(
    await pythonWithWebsockets(),
    command,
    { cwd: FOLDER, env },
    /^engine listening on (ws:\/\/\S+)\n/m,
  );
}
