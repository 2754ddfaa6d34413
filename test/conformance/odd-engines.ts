import type { EngineInput, Output } from "../../src/core/operations/table.ts";
import { EngineRejection } from "../../src/engine/engine.ts";
import { SimulatedEngine } from "../../src/engine/simulated/simulated-engine.ts";

type Detail = Output<"getFixSession">;
type Listed = Output<"listFixSessions">[number];

/** Can be halted and resumed as a whole alone. */
export class RootOnly extends SimulatedEngine {
  override getTradingStatus(input: EngineInput<"getTradingStatus">): Output<"getTradingStatus"> {
    return super.getTradingStatus(this.#checked(input));
  }

  override haltTrading(input: EngineInput<"haltTrading">): null {
    return super.haltTrading(this.#checked(input));
  }

  override resumeTrading(input: EngineInput<"resumeTrading">): null {
    return super.resumeTrading(this.#checked(input));
  }

  #checked<T extends { readonly projectionPath: string }>(input: T): T {
    if (input.projectionPath !== "") throw new EngineRejection("rejected", "Only all trading can be halted");
    return input;
  }
}

/**
 * Peers come back the moment they are dropped, and keep knocking at a session that is disabled. Each refused logon is a message in and a
 * numbered Logout out, as engines of the field count it.
 */
export class KnockingPeers extends SimulatedEngine {
  #knocks = 0;

  override getFixSession(input: EngineInput<"getFixSession">): Detail {
    return this.#knocked(super.getFixSession(input));
  }

  override async disableFixSession(input: EngineInput<"disableFixSession">): Promise<Detail> {
    return this.#knocked(await super.disableFixSession(input));
  }

  override enableFixSession(input: EngineInput<"enableFixSession">): Detail {
    return this.#knocked(super.enableFixSession(input));
  }

  override async disconnectFixSession(input: EngineInput<"disconnectFixSession">): Promise<Detail> {
    return this.#knocked(await super.disconnectFixSession(input));
  }

  override listFixSessions(input: EngineInput<"listFixSessions">): Listed[] {
    return super
      .listFixSessions(input)
      .map((session) => ({ ...session, ...this.#connected(session), ...this.#numbers() }));
  }

  #knocked(session: Detail): Detail {
    const knocks = this.#numbers().inboundSequence;
    const counters = { messagesSent: knocks, messagesReceived: knocks, bytesSent: knocks, bytesReceived: knocks };
    const times = { connectTimestamp: knocks, disconnectTimestamp: knocks };
    return { ...session, ...this.#connected(session), ...this.#numbers(), ...counters, ...times };
  }

  #connected({ status }: Listed): Partial<Detail> {
    if (status !== "Disconnected") return {};
    const address = { localPort: 9000, remoteIp: "127.0.0.1", remotePort: 40_000 + this.#knocks };
    return { status: "Connected", ...address };
  }

  #numbers(): Pick<Detail, "inboundSequence" | "outboundSequence"> {
    this.#knocks += 1;
    return { inboundSequence: this.#knocks, outboundSequence: this.#knocks };
  }
}
