import type { Clock } from "../../core/clock.ts";
import type { EngineInput, Output } from "../../core/operations/table.ts";
import { EngineRejection } from "../engine.ts";
import { FixGateway } from "./fix-gateway.ts";
import type { Traffic } from "./fix-session.ts";
import type { Installation } from "./installation-schema.ts";
import type { Random } from "./random.ts";

type SessionName = EngineInput<"getFixSession">;
type SessionDetail = Output<"getFixSession">;

const FIRST_EPHEMERAL_PORT = 32_768;
const LAST_EPHEMERAL_PORT = 60_999;

/** All FIX gateways; what peers do comes from outside, through `logon`, `disconnect` and `exchange`. */
export class FixDesk {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #gateways = new Map<string, FixGateway>();

  constructor(gateways: Installation["gateways"], clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
    for (const [name, entry] of Object.entries(gateways)) {
      this.#gateways.set(name, new FixGateway(name, entry, clock.now()));
      const connected = entry.sessions.filter(({ status }) => status === "Connected");
      for (const { id } of connected) this.logon({ gateway: name, session: id });
    }
  }

  listGateways(): Output<"listFixGateways"> {
    return [...this.#gateways.values()].map((gateway) => gateway.summary());
  }

  gateway(name: string): Output<"getFixGateway"> {
    return this.#find(name).detail();
  }

  listSessions(gateway: string): Output<"listFixSessions"> {
    return this.#find(gateway).sessions();
  }

  session({ gateway, session }: SessionName): SessionDetail {
    return this.#find(gateway).session(session);
  }

  disable({ gateway, session }: SessionName): SessionDetail {
    return this.#find(gateway).disable(session, this.#clock.now());
  }

  enable({ gateway, session }: SessionName): SessionDetail {
    return this.#find(gateway).enable(session, this.#clock.now());
  }

  disconnect({ gateway, session }: SessionName): SessionDetail {
    return this.#find(gateway).disconnect(session, this.#clock.now());
  }

  /** The peer of a session asks for a connection; says whether it was accepted. */
  logon({ gateway, session }: SessionName): boolean {
    const port = this.#random.integer(FIRST_EPHEMERAL_PORT, LAST_EPHEMERAL_PORT);
    return this.#find(gateway).logon(session, this.#clock.now(), port);
  }

  /** Counts messages of a connected session. */
  exchange({ gateway, session }: SessionName, traffic: Traffic): void {
    this.#find(gateway).exchange(session, traffic, this.#clock.now());
  }

  #find(name: string): FixGateway {
    const gateway = this.#gateways.get(name);
    if (!gateway) throw new EngineRejection("not-found", `Unknown FIX gateway "${name}"`);
    return gateway;
  }
}
