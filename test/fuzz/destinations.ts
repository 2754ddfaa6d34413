import { GatewayServer } from "../../src/gateway/server/server.ts";
import { adminHandler } from "../../src/http/node.ts";
import { startTestRig, type TestRig } from "../../src/testing/rig.ts";
import { openSuiteAuthentication } from "../support/access-files.ts";
import { HTTP_MOUNTS } from "../support/mounts.ts";
import { DEFAULT_LIMITS } from "../support/server-limits.ts";
import { httpWorld } from "../support/world.ts";
import type { Destination } from "./client.ts";

/** A running installation that fuzzed requests are sent to. */
export interface FuzzedWorld extends Destination {
  readonly rig: Omit<TestRig, "bus" | "close">;
  close(): Promise<void>;
}

/** The gateway's own server over a simulated engine whose order flow is paused. */
export async function openGatewayWorld(): Promise<FuzzedWorld> {
  const rig = await startTestRig();
  const authentication = await openSuiteAuthentication();
  const server = new GatewayServer(adminHandler(rig.api, { authenticator: authentication.authenticator }), {
    ...DEFAULT_LIMITS,
    maxTargetLength: 1_000_000,
  });
  const hostname = "127.0.0.1";
  const port = await server.listen(0, hostname);
  const close = async (): Promise<void> => {
    await server.close(1_000);
    authentication.close();
    await rig.close();
  };
  return { rig, hostname, port, basePath: "/api/admin/v1", close };
}

/** An Express 5 application that parses bodies before the API sees them. */
export async function openExpressWorld(): Promise<FuzzedWorld> {
  const mount = HTTP_MOUNTS.find(({ name }) => name === "Express 5 after express.json(), below a path");
  if (!mount) throw new Error("there is no such mount");
  const { url, close, ...rig } = await httpWorld(mount);
  const { hostname, port, pathname } = new URL(url);
  return { rig, hostname, port: Number(port), basePath: pathname, close };
}
