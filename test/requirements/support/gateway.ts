import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "vitest";
import { parseSettings } from "../../../src/config/load.ts";
import { startGateway } from "../../../src/gateway/gateway.ts";
import { openMonitorLog } from "../../../src/gateway/log/monitor-log.ts";
import { credentials, openSuiteAuthentication } from "../../support/access-files.ts";
import { type RawReply, type RawRequest, sendRaw } from "../../support/raw-http.ts";
import { type RequirementId, requirements } from "../requirements.ts";

/** A running gateway. */
export interface GatewayWorld {
  /** `http://127.0.0.1:` and the port. */
  readonly origin: string;
  /** Folder of the access files. */
  readonly accessFiles: string;
  /** Sends a request below `/api/admin/v1`, as `chief` unless it says otherwise. */
  http(request: RawRequest): Promise<RawReply>;
  /** The monitor log so far, one object a line. */
  log(): Record<string, unknown>[];
  close(): Promise<void>;
}

/** Configures any free port and the access files of the suites, unless the lines given do so themselves. */
function configuration(yaml: string, directory: string): string {
  const port = yaml.includes("server.port:") ? [] : ["server.port: 0"];
  const files = yaml.includes("security.uac.directory:") ? [] : [`security.uac.directory: ${directory}`];
  return [...port, ...files, yaml, ""].join("\n");
}

/** Starts a gateway with these lines in its `application.yaml`. */
export async function openGateway(yaml: string): Promise<GatewayWorld> {
  const folder = mkdtempSync(join(tmpdir(), "trading-admin-gateway-"));
  const files = await openSuiteAuthentication();
  const descriptor = openSync(join(folder, "monitor.log"), "a");
  const clean = (): void => {
    files.close();
    closeSync(descriptor);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const settings = parseSettings(configuration(yaml, files.directory), join(folder, "application.yaml"));
    const gateway = await startGateway({ settings, log: openMonitorLog(descriptor), environment: {} });
    return {
      origin: gateway.url,
      accessFiles: files.directory,
      http: (request) => sendRaw(`${gateway.url}/api/admin/v1`, { authorization: credentials("chief"), ...request }),
      log: () => linesOf(join(folder, "monitor.log")),
      close: async () => {
        await gateway.close();
        clean();
      },
    };
  } catch (error) {
    clean();
    throw error;
  }
}

function linesOf(file: string): Record<string, unknown>[] {
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** Proves a requirement that is about the gateway or its configuration. */
export function verifiesGateway(
  id: RequirementId,
  prove: (gateway: GatewayWorld) => Promise<void>,
  yaml = "security.oauth2.authenticationType: SIMPLE",
): void {
  it(`${id} [gateway] ${requirements[id].behavior}`, async () => {
    const gateway = await openGateway(yaml);
    try {
      await prove(gateway);
    } finally {
      await gateway.close();
    }
  });
}
