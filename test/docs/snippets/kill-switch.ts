// #region imports
import { parseProjectionPath, printProjectionPath } from "trading-admin-api";
import { type Engine, EngineRejection, serveEngine } from "trading-admin-api/engine";
import { openWebSocketBus } from "trading-admin-api/transports/websocket";

// #endregion

// #region kill-switch
type TradingMethods = Pick<Engine, "getTradingStatus" | "haltTrading" | "resumeTrading">;

/** The key of the node that a path names: segments in another order name the same one. A malformed path is refused. */
function nodeOf(path: string): string {
  try {
    return printProjectionPath(parseProjectionPath(path).sort((a, b) => (a.key < b.key ? -1 : 1)));
  } catch (error) {
    throw new EngineRejection("rejected", `projectionPath: ${(error as Error).message}`);
  }
}

/** The part of an engine that halts. Halting twice is not an error; every path has its own state. */
export class KillSwitch implements TradingMethods {
  readonly #events = new Map<string, { halted: boolean; reason: string }>();
  readonly #accounts: ReadonlySet<string>;

  constructor(accounts: ReadonlySet<string>) {
    this.#accounts = accounts;
  }

  getTradingStatus: Engine["getTradingStatus"] = ({ projectionPath }) => {
    return { projectionPath, ...(this.#events.get(nodeOf(projectionPath)) ?? { halted: false, reason: null }) };
  };

  haltTrading: Engine["haltTrading"] = ({ projectionPath, reason }) => this.#note(projectionPath, true, reason);
  resumeTrading: Engine["resumeTrading"] = ({ projectionPath, reason }) => this.#note(projectionPath, false, reason);

  #note(path: string, halted: boolean, reason: string): null {
    const node = nodeOf(path);
    const account = parseProjectionPath(path).find(({ key }) => key === "Account")?.value;
    if (account !== undefined && !this.#accounts.has(account)) {
      throw new EngineRejection("rejected", `Unknown account "${account}"`); // 400 with this text; nothing was changed
    }
    this.#events.set(node, { halted, reason });
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
