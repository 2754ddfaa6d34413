import { resolve } from "node:path";
import { loadSettings } from "../config/load.ts";
import { openDemo } from "../gateway/demo.ts";
import { type Gateway, startGateway } from "../gateway/gateway.ts";
import { openMonitorLog } from "../gateway/monitor-log.ts";
import { describeStart } from "./summary.ts";

const STANDARD_OUTPUT = 1;

/** Folder of the demo, below the working directory. */
const DEMO_FOLDER = ".demo";

/** Serves the API until SIGTERM or SIGINT; without a configuration file it serves the demo. */
export async function serve(configFile: string | undefined): Promise<void> {
  const demo = configFile === undefined ? await openDemo(resolve(DEMO_FOLDER)) : undefined;
  const { settings, file } = await loadSettings(configFile ?? demo?.configuration ?? "");
  const log = openMonitorLog(STANDARD_OUTPUT);
  const gateway = await startGateway({ settings, log, environment: process.env });
  process.stdout.write(describeStart({ gateway, settings, file, demo }));
  await terminated();
  await stop(gateway);
}

function terminated(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => resolve());
  });
}

async function stop(gateway: Gateway): Promise<void> {
  await gateway.close();
  process.stdout.write("stopped\n");
}
