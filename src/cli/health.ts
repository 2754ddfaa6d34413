import { readFileSync } from "node:fs";
import { rootCertificates } from "node:tls";
import { loadSettings } from "../config/load.ts";
import type { Settings } from "../config/settings.ts";
import { escapeControlCharacters } from "../core/records/record.ts";
import { hostInUrl } from "../core/urls.ts";
import { messageOf } from "../core/values/basics.ts";
import { asksForHttps } from "../gateway/https/ssl-settings.ts";
import { type ClientTls, nodeFetch } from "./connection/node-fetch.ts";
import { addressOf } from "./connection/settings.ts";
import { UsageError } from "./exit-codes.ts";
import type { Run } from "./framework/definition.ts";
import { write } from "./terminal/output.ts";

const TIMEOUT_MS = 4_000;

/** Characters of another response that are shown. */
const MAX_SHOWN = 500;

const LIVENESS = "/actuator/health/liveness";

interface Question {
  readonly url: URL;
  readonly tls: ClientTls;
}

/**
 * `health`: asks a gateway whether it is alive, as the health check of a container does, and prints its response: the one that runs on this
 * machine with a configuration, or the one at a URL. Throws when there is no response, or another one than 200.
 */
export const run: Run = async ({ options, settings }) => {
  const question = await questionOf(options as Typed, settings);
  const { status, body } = await fetchHealth(question);
  if (status !== 200) {
    throw new Error(`the gateway is not healthy: ${question.url} responds ${status} ${body.slice(0, MAX_SHOWN)}`);
  }
  // What it sent must not steer a terminal.
  write(`${escapeControlCharacters(body.split("\n")).join("\n")}\n`);
};

type Typed = Partial<Record<"config" | "url" | "ca", string>>;

async function questionOf({ config, url, ca }: Typed, commandLine: readonly string[]): Promise<Question> {
  if ((config === undefined) === (url === undefined)) {
    throw new UsageError(
      "name the gateway: --config application.yaml for the one on this machine, or --url https://host:8988",
    );
  }
  if (url !== undefined) {
    const tls = ca === undefined ? {} : { ca: [...rootCertificates, readFileSync(ca, "utf8")].join("\n") };
    return { url: healthUrl(url), tls };
  }
  const { settings } = await loadSettings(config ?? "", { commandLine, environment: process.env });
  // The gateway is on this machine; its certificate is for the name that callers use.
  return { url: livenessUrl(settings), tls: { rejectUnauthorized: false } };
}

function healthUrl(typed: string): URL {
  const url = addressOf(typed);
  return url.pathname === "/" ? new URL(LIVENESS, url) : url;
}

/** The management port speaks plain HTTP whatever the port of the API speaks. */
function livenessUrl(settings: Settings): URL {
  const port = settings["management.server.port"];
  const origin =
    port === undefined
      ? `${asksForHttps(settings) ? "https" : "http"}://${reachableHost(settings["server.address"])}:${settings["server.port"]}`
      : `http://${reachableHost(settings["management.server.address"])}:${port}`;
  return new URL(LIVENESS, origin);
}

/** Where this machine reaches an address that something listens on here. */
function reachableHost(address: string): string {
  if (address === "0.0.0.0") return "127.0.0.1";
  if (address === "::") return "[::1]";
  return hostInUrl(address);
}

async function fetchHealth({ url, tls }: Question): Promise<{ readonly status: number; readonly body: string }> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const response = await nodeFetch(tls)(url.href, { method: "GET", signal });
    return { status: response.status, body: await response.text() };
  } catch (cause) {
    const reason = signal.aborted ? `no response within ${TIMEOUT_MS} ms` : messageOf(cause);
    throw new Error(`the gateway does not answer at ${url}: ${reason}`, { cause });
  }
}
