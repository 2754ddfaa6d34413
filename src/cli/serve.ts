import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { loadSettings } from "../config/load.ts";
import { openDemo } from "../gateway/demo.ts";
import { startGateway } from "../gateway/gateway.ts";
import { openMonitorLog } from "../gateway/log/monitor-log.ts";
import type { Run } from "./command/definition.ts";
import { print, terminated } from "./process.ts";
import { describeStart } from "./summary.ts";

const STANDARD_OUTPUT = 1;

/** Folder of the demo, below the working directory. */
export const DEMO_FOLDER = ".demo";

/** Found in the working directory, as Spring Boot finds it. */
const CONFIGURATION = "application.yaml";

/**
 * `serve`: serves the API until SIGTERM or SIGINT: with the configuration that is named, else with `application.yaml` of the
 * working directory, else the demo.
 */
export const run: Run = async ({ options: { config }, settings: commandLine }) => {
  const configFile = config?.toString() ?? (existsSync(CONFIGURATION) ? CONFIGURATION : undefined);
  const demo = configFile === undefined ? await openDemo(resolve(DEMO_FOLDER)) : undefined;
  const environment = process.env;
  const path = configFile ?? demo?.configuration ?? "";
  const { settings, file } = await loadSettings(path, { commandLine, environment });
  const log = openMonitorLog(STANDARD_OUTPUT);
  const gateway = await startGateway({ settings, log, environment });
  // What waits for the last line of this may send the signal at once.
  const termination = terminated();
  print(describeStart({ gateway, settings, file, demo }));
  await termination;
  await gateway.close();
  print("stopped\n");
};
