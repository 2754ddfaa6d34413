import type { LinkEvent } from "../../transports/link/link.ts";
import { systemClock } from "../core/clock.ts";
import { buildOperations } from "../core/operations/table.ts";
import { escapeControlCharacters } from "../core/records/record.ts";
import { hostOf, isLoopback, withoutSecrets } from "../core/urls.ts";
import { projectionKeys } from "../core/values/projection.ts";
import type { FixPort } from "../engine/fix/port.ts";
import { type EngineBus, serveEngine } from "../engine/serve.ts";
import { loadInstallation } from "../engine/simulated/installation.ts";
import { SimulatedEngine } from "../engine/simulated/simulated-engine.ts";
import { sampleInstallation } from "../files/package-files.ts";
import { listenForFix } from "../gateway/engine/fix-ports.ts";
import { type BusTls, readTls, readToken } from "./connection/credentials.ts";
import { UsageError } from "./exit-codes.ts";
import type { Run } from "./framework/definition.ts";
import { terminated } from "./process.ts";
import { fixPortLine } from "./terminal/messages.ts";
import { print } from "./terminal/output.ts";

type Option =
  | "listen"
  | "nats"
  | "installation"
  | "fixPort"
  | "fixHost"
  | "tokenFile"
  | "tlsCertificate"
  | "tlsPrivateKey"
  | "tlsCa";
type Typed = Readonly<Partial<Record<Option, string>>>;

/** The engine's end of a bus, and where it is. */
interface OpenBus extends EngineBus {
  readonly url: string;
  close(): Promise<void>;
}

const DEFAULT_PORT = 8989;
const MAX_PORT = 65_535;

/** `engine`: runs the simulated engine on a bus until SIGTERM or SIGINT. */
export const run: Run = async (invocation) => {
  const options = invocation.options as Typed;
  const installation = await loadInstallation(options.installation ?? sampleInstallation());
  const engine = new SimulatedEngine(installation);
  const fixPorts = await openFixPorts(engine, options);
  const bus = await openBus(options).catch(async (error: unknown) => {
    await engine.closeFixPorts();
    throw error;
  });
  // How many commands are too many is the gateway's to say, and its setting.
  const table = buildOperations(projectionKeys(installation["projection-keys"]), Number.POSITIVE_INFINITY);
  await serveEngine(engine, bus, systemClock, table);
  engine.start();
  const termination = terminated();
  print(escapeControlCharacters([...fixPorts.map(fixPortLine), `engine listening on ${bus.url}`, ""]).join("\n"));
  await termination;
  engine.stop();
  await engine.closeFixPorts();
  await bus.close();
  print("stopped\n");
};

async function openFixPorts(engine: SimulatedEngine, { fixPort, fixHost }: Typed): Promise<readonly FixPort[]> {
  if (fixPort === undefined) {
    if (fixHost === undefined) return [];
    throw new UsageError("--fix-host: is of no use without --fix-port");
  }
  const port = /^\d{1,5}$/.test(fixPort) ? Number(fixPort) : Number.NaN;
  if (!(port <= MAX_PORT)) {
    throw new UsageError(`--fix-port: must be a whole number from 0 to ${MAX_PORT}, is ${JSON.stringify(fixPort)}`);
  }
  return listenForFix(engine, { host: fixHost ?? "127.0.0.1", port }, { port: "--fix-port", address: "--fix-host" });
}

async function openBus(options: Typed): Promise<OpenBus> {
  const { listen, nats } = options;
  if ((listen === undefined) === (nats === undefined)) {
    throw new UsageError("name one bus: --listen ws://127.0.0.1:8989 or --nats nats://127.0.0.1:4222");
  }
  const token = readToken(options.tokenFile);
  const tls = readTls(options);
  if (listen !== undefined) return listenForWebSockets(parseUrl(listen), token, tls);
  const { openNatsBus } = await import("../../transports/nats.ts");
  const servers = (nats ?? "").split(",");
  return openNatsBus({ servers, token, ...(Object.keys(tls).length > 0 && { tls }), onEvent: printEvent });
}

function parseUrl(listen: string): URL {
  if (URL.canParse(listen)) return new URL(listen);
  throw new UsageError(`--listen: must be a URL such as ws://127.0.0.1:8989, is ${withoutSecrets(listen)}`);
}

async function listenForWebSockets(url: URL, token: string | undefined, tls: BusTls): Promise<OpenBus> {
  const { cert, key, ca } = tls;
  const secure = url.protocol === "wss:";
  if (!secure && url.protocol !== "ws:")
    throw new UsageError(`--listen: must begin with ws:// or wss://, is ${withoutSecrets(url.href)}`);
  if (secure && (cert === undefined || key === undefined)) {
    throw new UsageError("--listen wss://...: --tls-certificate and --tls-private-key are needed");
  }
  const host = hostOf(url);
  if (!isLoopback(host) && token === undefined && ca === undefined) {
    throw new UsageError(
      `--listen ${withoutSecrets(url.href)}: anyone who reaches this address could control the engine; ask for a token (--token-file) or ` +
        "for client certificates (--tls-ca)",
    );
  }
  const { openWebSocketBus } = await import("../../transports/websocket.ts");
  return openWebSocketBus({
    host,
    port: url.port === "" ? DEFAULT_PORT : Number(url.port),
    ...(token !== undefined && { token }),
    ...(secure && cert !== undefined && key !== undefined && { tls: { cert, key, ...(ca !== undefined && { ca }) } }),
    onEvent: printEvent,
  });
}

function printEvent({ message }: LinkEvent): void {
  print(`${escapeControlCharacters(message)}\n`);
}
