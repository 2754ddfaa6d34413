import { resolve } from "node:path";
import { loadSettings } from "../config/load.ts";
import { openDemo } from "../gateway/demo.ts";
import { type Gateway, startGateway } from "../gateway/gateway.ts";
import { LineWriter } from "../gateway/line-writer.ts";
import { openMonitorLog } from "../gateway/monitor-log.ts";
import { describeStart } from "./summary.ts";

const STANDARD_OUTPUT = 1;

/** Folder of the demo, below the working directory. */
const DEMO_FOLDER = ".demo";

/** Serves the API until SIGTERM or SIGINT; without a configuration file it serves the demo. */
export async function serve(configFile: string | undefined): Promise<void> {
  const demo = configFile === undefined ? await openDemo(resolve(DEMO_FOLDER)) : undefined;
  const { settings, file } = await loadSettings(configFile ?? demo?.configuration ?? "");
  neverWaitForReader();
  const log = openMonitorLog(STANDARD_OUTPUT);
  const gateway = await startGateway({ settings, log, environment: process.env });
  // Whoever waits for the last line of this may send the signal at once.
  const termination = terminated();
  print(describeStart({ gateway, settings, file, demo }));
  await termination;
  await stop(gateway);
}

function terminated(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => resolve());
  });
}

async function stop(gateway: Gateway): Promise<void> {
  await gateway.close();
  print("stopped\n");
}

/**
 * Lets writes to standard output fail when a reader does not keep up, instead of halting the process: a log must not stand
 * in the way of a stop. Node does this to a pipe when the stream over it is made.
 */
function neverWaitForReader(): void {
  process.stdout.on("error", () => {});
}

/** Prints at once. Whoever reads standard output may go away or stop reading; that stops nothing here. */
function print(text: string): void {
  try {
    new LineWriter(STANDARD_OUTPUT).write(text);
  } catch {
    // There is nobody to tell.
  }
}
