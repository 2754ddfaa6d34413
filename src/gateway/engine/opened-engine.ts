import { InProcessBus } from "../../../transports/in-process.ts";
import { EngineClock } from "../../../transports/link/engine-clock.ts";
import { EngineWatch } from "../../../transports/link/engine-watch.ts";
import type { LinkEvent } from "../../../transports/link/link.ts";
import { SeparateLanes } from "../../../transports/link/separate-lanes.ts";
import type { Settings } from "../../config/settings.ts";
import type { EngineTransport } from "../../core/engine/transport.ts";
import type { Gate } from "../../core/load/gate.ts";
import { withoutSecrets } from "../../core/urls.ts";
import type { FixPort } from "../../engine/fix/port.ts";
import { serveEngine } from "../../engine/serve.ts";
import { loadInstallation } from "../../engine/simulated/installation.ts";
import { SimulatedEngine } from "../../engine/simulated/simulated-engine.ts";
import { sampleInstallation } from "../../files/package-files.ts";
import { installed } from "../from-settings.ts";
import { engineLinkSettings, type LinkSettings } from "./engine-settings.ts";
import { openFixPorts } from "./fix-ports.ts";

export interface OpenedEngine {
  readonly transport: EngineTransport;
  /** How far its clock is off; undefined for an engine in this process. */
  readonly clock: EngineClock | undefined;
  /** Which engines listen; undefined for an engine in this process. */
  readonly watch: EngineWatch | undefined;
  /** One line about the engine, for the operator. */
  readonly description: string;
  /** Projection keys besides the standard ones, where the engine's installation is known here. */
  readonly projectionKeys: readonly string[];
  /** Ports for FIX clients of the embedded engine. */
  readonly fixPorts: readonly FixPort[];
  /** Starts what is embedded. */
  start(): void;
  /** Stops what is embedded; the transport is closed by the API. */
  stop(): void | Promise<void>;
}

type OnLinkEvent = (event: LinkEvent) => void;

/**
 * Opens the way to the engine that the settings ask for. Throws {@link ConfigurationError} when they do not fit together.
 * `preferredFixPort` is that of an embedded engine for which they name none.
 */
export async function openEngine(
  settings: Settings,
  gate: Gate,
  onEvent: OnLinkEvent,
  preferredFixPort?: number,
): Promise<OpenedEngine> {
  const kind = settings["admin.engine.transport"];
  if (kind === "in-process") return embedEngine(settings, gate, preferredFixPort);
  const link = await engineLinkSettings(settings, kind);
  const clock = new EngineClock(onEvent);
  const watch = new EngineWatch(onEvent);
  const open = await transportsTo(kind, link, { gate, engineClock: clock, engineWatch: watch });
  return {
    transport: new SeparateLanes(open(onEvent, settings["admin.api.max-body-size"]), open(ofReads(onEvent))),
    clock,
    watch,
    description: `over ${kind}, ${link.urls.map(withoutSecrets).join(", ")}`,
    projectionKeys: [],
    fixPorts: [],
    start: () => {},
    stop: () => {},
  };
}

async function embedEngine(settings: Settings, gate: Gate, preferredFixPort?: number): Promise<OpenedEngine> {
  const file = settings["admin.engine.installation"] ?? sampleInstallation();
  const installation = await loadInstallation(file);
  const engine = new SimulatedEngine(installation, { gate });
  const bus = new InProcessBus();
  await serveEngine(engine, bus);
  const fixPorts = await openFixPorts(engine, settings, preferredFixPort);
  return {
    transport: bus,
    clock: undefined,
    watch: undefined,
    description: `embedded simulator, ${file}`,
    projectionKeys: installation["projection-keys"],
    fixPorts,
    start: () => engine.start(),
    stop: () => {
      engine.stop();
      return engine.closeFixPorts();
    },
  };
}

async function transportsTo(
  kind: "websocket" | "nats",
  { urls, token, tls, credentials }: LinkSettings,
  shared: { readonly gate: Gate; readonly engineClock: EngineClock; readonly engineWatch: EngineWatch },
): Promise<(onEvent: OnLinkEvent, largestInput?: number) => EngineTransport> {
  const link = { token, tls, ...shared };
  if (kind === "websocket") {
    const { WebSocketTransport } = await import("../../../transports/websocket.ts");
    return (onEvent) => new WebSocketTransport({ ...link, url: urls[0], onEvent });
  }
  const load = (): Promise<typeof import("../../../transports/nats.ts")> => import("../../../transports/nats.ts");
  const { NatsTransport } = await installed(load, "admin.engine.transport: nats", "@nats-io/transport-node");
  return (onEvent, largestInput) => new NatsTransport({ ...link, servers: urls, credentials, largestInput, onEvent });
}

function ofReads(onEvent: OnLinkEvent): OnLinkEvent {
  return (event) => onEvent({ ...event, message: `${event.message} (link for reads)` });
}
