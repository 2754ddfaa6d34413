import type { LinkEvent } from "../../../transports/link/link.ts";
import { systemClock } from "../../core/clock.ts";
import { type EngineTransport, TransportError } from "../../core/engine/transport.ts";
import { TimeoutError, within } from "../../core/timeout.ts";
import { withoutSecrets } from "../../core/urls.ts";
import { installed } from "../../gateway/from-settings.ts";
import type { EngineFixture } from "../../testing/conformance/engine-fixture.ts";
import { readTls, readToken } from "../connection/credentials.ts";
import { EXIT, UsageError } from "../exit-codes.ts";
import type { Options } from "../framework/definition.ts";

/** How long a link may take to come up, and an engine to reply for the first time. */
const PATIENCE_MS = 10_000;

const PING_MS = 60_000;

export class NoEngineError extends Error {
  override readonly name = "NoEngineError";
  readonly exitCode: number;

  constructor(message: string) {
    super(message);
    this.exitCode = /: 40[13]\b|authorization/i.test(message) ? EXIT.denied : EXIT.notSent;
  }
}

type MakeTransport = (onEvent: (event: LinkEvent) => void) => EngineTransport;

/** Makes transports to the engine at a URL; another one for each link. */
export async function transportsTo(url: string, options: Options): Promise<MakeTransport> {
  const token = readToken(options.tokenFile);
  const tls = readTls(options);
  const login = { token, ...(Object.keys(tls).length > 0 && { tls }) };
  switch (URL.canParse(url) ? new URL(url).protocol : undefined) {
    case "ws:":
    case "wss:": {
      const { WebSocketTransport } = await import("../../../transports/websocket.ts");
      // An engine that hangs is found by the limits of the cases; one on a busy machine keeps its link.
      return checked((onEvent) => new WebSocketTransport({ url, ...login, pingIntervalMs: PING_MS, onEvent }));
    }
    case "nats:":
    case "tls:": {
      const load = (): Promise<typeof import("../../../transports/nats.ts")> => import("../../../transports/nats.ts");
      const { NatsTransport } = await installed(load, "an engine on NATS", "@nats-io/transport-node");
      return checked((onEvent) => new NatsTransport({ servers: [url], ...login, onEvent }));
    }
    default:
      throw new UsageError(
        `the address of the engine must be a URL such as ws://127.0.0.1:8989, wss:// or nats://, is ${withoutSecrets(url)}`,
      );
  }
}

/** A URL, token or key that cannot be used is found before anything is connected. */
function checked(make: MakeTransport): MakeTransport {
  try {
    void make(() => {}).close();
    return make;
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(error.message, { cause: error });
    throw error;
  }
}

/** Opens a link. Rejects with {@link NoEngineError} for the reason of the first attempt that fails. */
export async function openLink(make: MakeTransport): Promise<EngineFixture> {
  let tell: (event: LinkEvent) => void = () => {};
  const transport = make((event) => tell(event));
  const up = new Promise<void>((resolve, reject) => {
    tell = ({ kind, message }) => {
      if (kind === "up") resolve();
      if (kind === "down") reject(new NoEngineError(message));
    };
  });
  try {
    await transport.start();
    await inTime(up, "there was no connection");
    return { transport, close: () => transport.close() };
  } catch (error) {
    await transport.close();
    throw error;
  }
}

/** Asks an engine for the state of trading, to see that there is one. Whatever it replies will do. */
export async function greet({ transport }: EngineFixture): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  const context = { user: "conformance", requestId: "conformance-0", deadline, timeLeft: PATIENCE_MS };
  const input = { projectionPath: "" };
  try {
    const { reply } = transport.exchange({ method: "getTradingStatus", input, lane: "read", context });
    await inTime(Promise.resolve(reply), "the engine did not reply");
  } catch (error) {
    throw error instanceof TransportError ? new NoEngineError(error.message) : error;
  }
}

async function inTime<T>(waiting: Promise<T>, failure: string): Promise<T> {
  try {
    return await within(systemClock, PATIENCE_MS, waiting, `${failure} within ${PATIENCE_MS} ms`);
  } catch (error) {
    throw error instanceof TimeoutError ? new NoEngineError(error.message) : error;
  }
}
