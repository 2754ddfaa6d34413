import assert from "node:assert/strict";
import type { EngineContext, EngineRequest, EngineTransport, LinkState } from "../../core/engine/transport.ts";
import type { Lane } from "../../core/operations/operation.ts";
import type { EngineBus } from "../../engine/serve.ts";
import { need } from "./applicable.ts";
import { echo, ScriptedEngine } from "./scripted-engine.ts";
import { describeOutcome, SentRequest } from "./sent.ts";
import type { WaitLimit } from "./time-limit.ts";

/** Time that requests are given unless a case says otherwise: more than any case takes. */
const DEADLINE_MS = 120_000;

/** How many of the requests that are missing an error names. */
const MISSING_NAMED = 3;

/** Parts of a request that a case wants different from the usual. */
export interface RequestChanges {
  readonly lane?: Lane;
  readonly input?: Readonly<Record<string, unknown>>;
  readonly context?: Partial<EngineContext>;
}

/** One open fixture with an engine that does what the case says. */
export class TransportBench {
  readonly transport: EngineTransport;
  readonly bus: EngineBus;
  readonly engine = new ScriptedEngine();
  readonly timeLimit: WaitLimit;
  readonly repliesSurviveLoss: boolean;
  readonly #fixture: TransportFixture;
  #count = 0;

  constructor(
    fixture: TransportFixture,
    { timeLimit, repliesSurviveLoss }: Pick<TransportBench, "timeLimit" | "repliesSurviveLoss">,
  ) {
    this.transport = fixture.transport;
    this.bus = fixture.bus;
    this.timeLimit = timeLimit;
    this.repliesSurviveLoss = repliesSurviveLoss;
    this.#fixture = fixture;
  }

  /** Puts the engine on its end, starts the gateway's end and waits for the link. */
  async start(): Promise<void> {
    await this.bus.listen(this.engine.handler);
    await this.transport.start();
    await this.untilState("up");
  }

  close(): Promise<void> {
    return this.#fixture.close();
  }

  async cutLink(): Promise<void> {
    await this.#fixture.cutLink();
    await this.untilState("down");
  }

  /** Breaks the link and does not wait until the gateway's end knows. */
  beginCut(): Promise<void> {
    return this.#fixture.cutLink();
  }

  async restoreLink(): Promise<void> {
    await this.#fixture.restoreLink();
    await this.untilState("up");
  }

  /** Lets nothing through, as a peer that hangs; the result lets it flow again. */
  stallLink(): () => void {
    return need(this.#fixture.stallLink, "way to stall the link (stallLink)")();
  }

  /** Brings the gateway's end a message that is not a reply. */
  strayMessage(text: string): Promise<void> {
    return need(this.#fixture.strayMessage, "way to send a message that is not a reply (strayMessage)")(text);
  }

  untilState(state: LinkState): Promise<void> {
    return this.timeLimit.until(`the transport's state becomes "${state}"`, () => this.transport.state === state);
  }

  /** A request with its own id. */
  request({ lane = "read", input = {}, context = {} }: RequestChanges = {}): EngineRequest {
    this.#count += 1;
    const requestId = `r-${this.#count}`;
    const deadline = Date.now() + DEADLINE_MS;
    return { ...operationOf(lane, requestId, input), lane, context: { user: "kit", requestId, deadline, ...context } };
  }

  send(changes?: RequestChanges): SentRequest {
    return new SentRequest(this.request(changes), (request) => this.transport.exchange(request));
  }

  sendMany(count: number, changes?: RequestChanges): SentRequest[] {
    return Array.from({ length: count }, () => this.send(changes));
  }

  /** Waits until requests are at the engine. */
  async arrived(...requests: readonly SentRequest[]): Promise<void> {
    const missing = new Map(requests.map((sent) => [sent.id, sent]));
    let seen = 0;
    const what = `${requests.length} request(s) reach the engine`;
    const waiting = this.timeLimit.until(what, () => {
      for (; seen < this.engine.arrivals.length; seen += 1) {
        missing.delete(this.engine.arrivals[seen]?.context.requestId ?? "");
      }
      return missing.size === 0;
    });
    await waiting.catch((cause: unknown) => {
      const fates = [...missing.values()].slice(0, MISSING_NAMED).map((sent) => `${sent.id}: ${describeOutcome(sent)}`);
      assert.fail(new Error(`expected that ${what}; ${missing.size} did not (${fates.join("; ")})`, { cause }));
    });
  }

  async settled(...requests: readonly SentRequest[]): Promise<void> {
    for (const sent of requests) await this.timeLimit.settled(`request ${sent.id} is settled`, sent.settled);
  }

  /** Waits for the replies of the usual engine and compares them: none gets another's. */
  async expectEchoes(...requests: readonly SentRequest[]): Promise<void> {
    await this.settled(...requests);
    for (const sent of requests) {
      assert.deepEqual(sent.outcome, { kind: "reply", reply: echo(sent.id) }, `reply to request ${sent.id}`);
    }
  }

  /** A request goes to the engine and its reply comes back. All that was sent before has arrived by then, or never will. */
  async expectWorks(lane: Lane = "read"): Promise<void> {
    const sent = this.send({ lane });
    assert.notEqual(sent.outcome?.kind, "refused", `a ${lane} request on a working link: ${describeOutcome(sent)}`);
    await this.arrived(sent);
    this.engine.reply(sent.id);
    await this.expectEchoes(sent);
  }
}

/** An operation of the lane, with an input that its schema takes. */
function operationOf(
  lane: Lane,
  name: string,
  input: Readonly<Record<string, unknown>>,
): Pick<EngineRequest, "method" | "input"> {
  if (lane === "read") return { method: "getService", input: { name, ...input } };
  const method = lane === "stop" ? "disableService" : "enableService";
  return { method, input: { name, reason: "conformance", ...input } };
}

/** Both ends of a transport, set up for one case of {@link transportConformance}. */
export interface TransportFixture {
  /** The gateway's end, new: the kit starts it. */
  readonly transport: EngineTransport;
  /** The engine's end, ready for `listen`; the kit listens with its own engines. */
  readonly bus: EngineBus;
  /** Breaks the link abruptly, as a network does, and keeps it broken; the engine's end stays there. */
  cutLink(): Promise<void>;
  /** Lets the gateway's end reach the engine's end again. */
  restoreLink(): Promise<void>;
  /**
   * Lets nothing through and leaves the link open, as a peer that hangs; the result lets it flow again. Without it, the case about
   * a peer that hangs is not applicable.
   */
  stallLink?(): () => void;
  /**
   * Brings the gateway's end a message that is not a reply, from the engine's end. Without it, the case about such messages is not
   * applicable.
   */
  strayMessage?(text: string): Promise<void>;
  /** Frees everything. The transport may be closed already, and the link be cut. */
  close(): Promise<void>;
}

/** Promises of a transport beyond the contract, and time limits of the kit. */
export interface TransportConformanceOptions {
  /**
   * Requests that were sent before the link broke stay pending, and their replies may come after it is back, as with
   * a message broker between the ends. Unless it is true, such requests must be rejected when the link breaks.
   */
  readonly repliesSurviveLoss?: boolean;
  /** Milliseconds that the kit waits for each thing that has to happen; 15,000 unless given. */
  readonly timeoutMs?: number;
}
