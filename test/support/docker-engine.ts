import { request } from "node:http";
import { startDockerDaemon } from "./docker-daemon.ts";

/** A Docker engine that responds. */
export interface DockerEngine {
  /** Its address as in `DOCKER_HOST`. */
  readonly host: string;
  readonly how: string;
  /** Ends an engine that was started here; one that ran before continues. */
  stop(): Promise<void>;
}

const USUAL = "unix:///var/run/docker.sock";
const TIMEOUT_MS = 5_000;

/**
 * Finds a Docker engine: what `DOCKER_HOST` names, else the usual socket, else one that is started here for this run (`dockerd`
 * from the search path, else from Debian's packages). Rejects with the reason when no engine can be had.
 */
export async function findDockerEngine(): Promise<DockerEngine> {
  const named = process.env.DOCKER_HOST;
  if (named !== undefined && named !== "") {
    if (await answers(named)) return running(named, "named by DOCKER_HOST");
    throw new Error(`DOCKER_HOST names ${named}, and nothing answers there`);
  }
  if (await answers(USUAL)) return running(USUAL, "runs on this machine");
  return startDockerDaemon(answers);
}

function running(host: string, how: string): DockerEngine {
  return { host, how, stop: async () => {} };
}

/** Whether an engine answers at an address of the kinds `unix:` and `tcp:`. */
function answers(host: string): Promise<boolean> {
  const url = new URL(host);
  const target = url.protocol === "unix:" ? { socketPath: url.pathname } : { host: url.hostname, port: url.port };
  return new Promise((resolve) => {
    const ping = request({ ...target, path: "/_ping", timeout: TIMEOUT_MS }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    ping.on("timeout", () => ping.destroy());
    // Whatever is wrong: nothing answers.
    ping.on("error", () => resolve(false));
    ping.end();
  });
}
