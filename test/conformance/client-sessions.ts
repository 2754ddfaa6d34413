import { readFileSync } from "node:fs";
import { parse, stringify } from "yaml";
import type { Output } from "../../src/core/operations/table.ts";
import type { Installation } from "../../src/engine/simulated/installation-schema.ts";
import { sampleInstallation } from "../../src/files/package-files.ts";
import { type ConformanceCase, engineConformance } from "../../src/testing/conformance/kits.ts";
import type { WebSocketTransport } from "../../transports/websocket.ts";
import { Workplace } from "../cli/workplace.ts";
import { ask, dial } from "../examples/python-engine-gateway.ts";
import { until } from "../support/until.ts";
import { ALL } from "./passes.ts";

type Session = Output<"getFixSession">;

/** A FIX port, and the CompIDs of the clients that log on there. */
export interface ClientPort {
  readonly gateway: string;
  readonly port: number;
  readonly clients: readonly string[];
}

/** The sample installation, all of whose gateways have ports, and sessions with one name of the engine. */
function withPortsEverywhere(): Pick<Installation, "gateways"> {
  const installation = parse(readFileSync(sampleInstallation(), "utf8")) as Installation;
  const gateways = Object.entries(installation.gateways).map(([name, { sessions, ...gateway }]) => {
    const named = sessions.map((session) => ({ ...session, sender: "ENGINE" }));
    return [name, { ...gateway, type: "OrderEntry", sessions: named }] as const;
  });
  return { ...installation, gateways: Object.fromEntries(gateways) as Installation["gateways"] };
}

/** The simulated engine in its own process, every session of which is for a FIX client to log on to. */
export class ClientSessions {
  readonly ports: readonly ClientPort[];
  readonly #workplace: Workplace;
  readonly #url: string;

  private constructor(workplace: Workplace, url: string, ports: readonly ClientPort[]) {
    this.#workplace = workplace;
    this.#url = url;
    this.ports = ports;
  }

  static async start(): Promise<ClientSessions> {
    const workplace = new Workplace();
    const installation = withPortsEverywhere();
    workplace.write("installation.yaml", stringify(installation));
    const options = ["--listen", "ws://127.0.0.1:0", "--installation", "installation.yaml", "--fix-port", "0"];
    const { url, stdout } = await workplace.engine(...options);
    const ports = Object.entries(installation.gateways).map(([gateway, { sessions }]) => {
      const [, port] = new RegExp(`^ +fix ${gateway} +127\\.0\\.0\\.1:(\\d+)$`, "m").exec(stdout) ?? [];
      return { gateway, port: Number(port), clients: sessions.map(({ target }) => target) };
    });
    return new ClientSessions(workplace, url, ports);
  }

  /** A link of a gateway. */
  dial(): Promise<WebSocketTransport> {
    return dial({ url: this.#url });
  }

  /** All sessions as the API shows them. */
  async read(): Promise<Session[]> {
    const transport = await this.dial();
    const call = async <T>(method: "listFixSessions" | "getFixSession", input: object): Promise<T> => {
      const reply = await ask(transport, method, input);
      if (!reply.ok) throw new Error(`${method}: ${reply.message}`);
      return reply.result as T;
    };
    const sessions: Session[] = [];
    for (const { gateway } of this.ports) {
      for (const { sessionId } of await call<Output<"listFixSessions">>("listFixSessions", { gateway }))
        sessions.push(await call<Session>("getFixSession", { gateway, session: sessionId }));
    }
    await transport.close();
    return sessions;
  }

  /** Waits until clients have all sessions but the one that the installation disables; gives all back. */
  async allLoggedOn(): Promise<Session[]> {
    let sessions: Session[] = [];
    const isOfClient = ({ status, remoteIp, sessionId }: Session): boolean =>
      sessionId === "LEGACY" ? status === "Disabled" : status === "Connected" && remoteIp === "127.0.0.1";
    await until(
      async () => {
        sessions = await this.read();
        return sessions.every(isOfClient);
      },
      () => `clients have all sessions: ${JSON.stringify(sessions)}`,
      { everyMs: 50 },
    );
    return sessions;
  }

  close(): Promise<void> {
    return this.#workplace.close();
  }
}

/** The kit, as it judges the engine that is started when its cases are run, over a WebSocket of each case. */
export function casesOf(sessions: () => ClientSessions): readonly ConformanceCase[] {
  const open = async () => {
    const transport = await sessions().dial();
    return { transport, close: () => transport.close() };
  };
  return engineConformance(open, undefined, ALL);
}
