import { fileURLToPath } from "node:url";
import { pythonWithWebsockets } from "./python-engine-runtime.ts";
import { type ServingProcess, startServing } from "./serving-process.ts";

export const FOLDER = fileURLToPath(new URL("../../examples/python-engine", import.meta.url));

/**
 * Starts the engine of `examples/python-engine` on any free port and waits until it says that it listens. `program` is the file to run,
 * which may be another one that uses the modules of the example.
 */
export async function startPythonEngine(
  args: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
  program = "engine.py",
): Promise<ServingProcess> {
  // Byte code would be left behind in the folder of the example.
  const env = { PATH: process.env.PATH, PYTHONDONTWRITEBYTECODE: "1", PYTHONPATH: FOLDER, ...environment };
  const command = [program, "--listen", "127.0.0.1:0", ...args];
  return startServing(
    await pythonWithWebsockets(),
    command,
    { cwd: FOLDER, env },
    /^engine listening on (ws:\/\/\S+)\n/m,
  );
}
