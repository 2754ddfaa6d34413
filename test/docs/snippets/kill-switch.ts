// #region imports
import { type Engine, EngineRejection, serveEngine } from "trading-admin-api/engine";
import { openWebSocketBus } from "trading-admin-api/transports/websocket";

// #endregion

// #region kill-switch
type TradingMethods = Pick<Engine, "getTradingStatus" | "haltTrading" | "resumeTrading">;

/** The part of an engine that halts. Halting twice is not an error; every path has a state of its own. */
export class KillSwitch implements TradingMethods {
  readonly #events = new Map<string, { halted: boolean; reason: string }>();
  readonly #accounts: ReadonlySet<string>;

  constructor(accounts: ReadonlySet<string>) {
    this.#accounts = accounts;
  }

  getTradingStatus: Engine["getTradingStatus"] = ({ projectionPath }) => {
    return { projectionPath, ...(this.#events.get(projectionPath) ?? { halted: false, reason: null }) };
  };

  haltTrading: Engine["haltTrading"] = ({ projectionPath, reason }) => this.#note(projectionPath, true, reason);
  resumeTrading: Engine["resumeTrading"] = ({ projectionPath, reason }) => this.#note(projectionPath, false, reason);

  #note(path: string, halted: boolean, reason: string): null {
    const [, account] = /^Account\[(.*)\]$/.exec(path) ?? [];
    if (account !== undefined && !this.#accounts.has(account)) {
      throw new EngineRejection("rejected", `Unknown account "${account}"`); // 400 with this text; nothing was changed
    }
    this.#events.set(path, { halted, reason });
    return null;
  }
}
// #endregion

/** Puts an engine where gateways find it. */
export async function serve(
  engine: Partial<Engine>,
  port: number,
  token: string,
): Promise<{ url: string; close(): Promise<void> }> {
  // #region serve
  const bus = await openWebSocketBus({ host: "127.0.0.1", port, token });
  await serveEngine(engine, bus);
  // #endregion
  return bus;
}
