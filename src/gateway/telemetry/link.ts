import type { Registry } from "prom-client";
import type { LinkEvent } from "../../../transports/link/link.ts";
import { LINK_EVENT_LEVELS } from "../../../transports/link/link-events.ts";
import type { AdminApi } from "../../core/admin-api.ts";
import type { EngineExchange, EngineRequest, EngineTransport, LinkState } from "../../core/engine/transport.ts";
import { type BusMethod, busMethods } from "../../core/operations/table.ts";
import { LANES } from "./calls.ts";
import { durationsBy, eventCounter, gauge } from "./metrics.ts";

/** A transport that times its exchanges, by operation. */
export class MeasuredTransport implements EngineTransport {
  readonly #transport: EngineTransport;
  readonly #ended: (method: BusMethod, milliseconds: number) => void;

  constructor(transport: EngineTransport, registry: Registry) {
    this.#transport = transport;
    this.#ended = durationsBy(registry, {
      name: "trading_admin_engine_duration_seconds",
      help: "Time that the engine took to reply; an exchange without a reply counts with the time until it was given up.",
      label: "operation",
      values: busMethods,
    });
  }

  get state(): LinkState {
    return this.#transport.state;
  }

  get knowsClock(): boolean {
    return this.#transport.knowsClock !== false;
  }

  start(): Promise<void> {
    return this.#transport.start();
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  exchange(request: EngineRequest): EngineExchange {
    const startedAt = performance.now();
    const exchange = this.#transport.exchange(request);
    let open = true;
    const end = (): void => {
      if (open) this.#ended(request.method, performance.now() - startedAt);
      open = false;
    };
    exchange.reply.then(end, end);
    return {
      reply: exchange.reply,
      contradicted: (report) => exchange.contradicted?.(report),
      abandon() {
        end();
        exchange.abandon();
      },
    };
  }
}

const KINDS = Object.keys(LINK_EVENT_LEVELS) as LinkEvent["kind"][];

/** Counts what happens on the link to the engine; the returned function is called with it. */
export function measureLinkEvents(registry: Registry): (event: LinkEvent) => void {
  const happened = eventCounter(registry, {
    name: "trading_admin_engine_link_events_total",
    help: "Events on the link to the engine. Up: it came up; down: it was lost, or cannot be established for a new reason; problem: the engine broke the contract, or its clock is off; gone, here: no engine is found behind the link, or one is again; split: engines with separate states share the requests; restarted: the engine is another process than before; near-limit: a reply is nearly as large as the link carries.",
    known: KINDS.map((kind) => ({ kind })),
  });
  return (event) => happened({ kind: event.kind }, event.kind === "problem" ? event.count : 1);
}

/** Shows whether the engine can be reached, and how much of each lane is in use. */
export function measureLink(registry: Registry, api: AdminApi): void {
  const loadOf = (value: "inFlight" | "capacity") => () =>
    LANES.map((lane) => [{ lane }, api.laneLoad(lane)[value]] as const);
  gauge(registry, {
    name: "trading_admin_engine_link_up",
    help: "1 while requests can reach the engine, else 0.",
    read: () => (api.linkState === "up" ? 1 : 0),
  });
  gauge(registry, {
    name: "trading_admin_lane_in_flight",
    help: "Requests of a lane that are waiting for the engine.",
    labelNames: ["lane"],
    read: loadOf("inFlight"),
  });
  gauge(registry, {
    name: "trading_admin_lane_capacity",
    help: "Requests of a lane that may be in flight concurrently; further ones get a 429.",
    labelNames: ["lane"],
    read: loadOf("capacity"),
  });
}
