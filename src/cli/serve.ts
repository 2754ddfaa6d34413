import { resolve } from "node:path";
import { loadSettings } from "../config/load.ts";
import { openDemo } from "../gateway/demo.ts";
import { type Gateway, startGateway } from "../gateway/gateway.ts";
import { openMonitorLog } from "../gateway/monitor-log.ts";
import { neverWaitForReader, print, terminated } from "./process.ts";
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

async function stop(gateway: Gateway): Promise<void> {
  await gateway.close();
  print("stopped\n");
}
