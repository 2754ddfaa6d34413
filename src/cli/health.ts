import { get as getPlain } from "node:http";
import { get as getSecure } from "node:https";
import { loadSettings } from "../config/load.ts";
import type { Settings } from "../config/settings.ts";
import { asksForHttps } from "../gateway/https/ssl-settings.ts";

const TIMEOUT_MS = 4_000;

/**
 * Asks the gateway that runs on this machine with the same configuration whether it is alive, as the health check of a container
 * does, and prints its answer. Throws when it does not answer, or answers that it is not.
 */
export async function checkHealth(configFile: string, commandLine: readonly string[]): Promise<void> {
  const { settings } = await loadSettings(configFile, { commandLine, environment: process.env });
  const url = livenessUrl(settings);
  const { status, body } = await ask(url);
  if (status !== 200) throw new Error(`the gateway is not healthy: ${url} answers ${status} ${body}`);
  process.stdout.write(`${body}\n`);
}

/** The management port speaks plain HTTP whatever the port of the API speaks. */
function livenessUrl(settings: Settings): URL {
  const port = settings["management.server.port"];
  const origin =
    port === undefined
      ? `${asksForHttps(settings) ? "https" : "http"}://${hostOf(settings["server.address"])}:${settings["server.port"]}`
      : `http://${hostOf(settings["management.server.address"])}:${port}`;
  return new URL("/actuator/health/liveness", origin);
}

/** Where this machine reaches an address that something listens on here. */
function hostOf(address: string): string {
  if (address === "0.0.0.0") return "127.0.0.1";
  if (address === "::") return "[::1]";
  return address.includes(":") ? `[${address}]` : address;
}

interface Answer {
  readonly status: number | undefined;
  readonly body: string;
}

function ask(url: URL): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const fail = (cause: Error): void =>
      reject(new Error(`the gateway does not answer at ${url}: ${cause.message}`, { cause }));
    // The gateway is on this machine; its certificate is for the name that callers use.
    const options = { agent: false, timeout: TIMEOUT_MS, rejectUnauthorized: false };
    const request = (url.protocol === "https:" ? getSecure : getPlain)(url, options, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (text: string) => {
        body += text;
      });
      response.on("end", () => resolve({ status: response.statusCode, body }));
      response.on("error", fail);
    });
    request.on("timeout", () => request.destroy(new Error(`no answer within ${TIMEOUT_MS} ms`)));
    request.on("error", fail);
  });
}
