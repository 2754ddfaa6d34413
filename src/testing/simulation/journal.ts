import type { EngineRefusal, EngineReply, EngineRequest } from "../../core/engine/transport.ts";
import type { Outcome } from "../../core/errors.ts";
import type { CommandEvent } from "./plan.ts";

/** A command as it came to the engine. */
export interface Receipt {
  readonly at: number;
  /** Which life of the engine: it begins anew with each start. */
  readonly life: number;
  /** When it was said to have arrived, unless by the clock of a former life. */
  readonly arrived: number | undefined;
  readonly within: number;
  reply?: "ok" | EngineRefusal;
  repliedAt?: number;
}

export interface Told {
  readonly at: number;
  readonly code: string;
  readonly outcome: Outcome;
  readonly message: string;
}

/** All that happened to one command, by the time of the world. */
export interface CommandFacts {
  readonly command: CommandEvent;
  /** Which life of its gateway took it. */
  readonly life: number;
  /** When its first bytes reached the gateway's machine, or since when the gateway was paused then. */
  readonly earliest: number;
  /** When the gateway took it from the socket, its latest moment of arrival. */
  latest: number | undefined;
  readonly sent: number[];
  /** The latest life of the engine of which its gateway had a quick reply when it was sent. */
  knownLife?: number | undefined;
  readonly receipts: Receipt[];
  /** When the engine carried it out, in which life. */
  readonly effects: { readonly at: number; readonly life: number }[];
  told?: Told;
}

export type LinkName = "commands" | "reads";

/** A time during which something was as it should not be. */
export interface Trouble {
  readonly kind: "paused" | "bad disk" | "clock step" | "dead" | "engine trouble" | `${LinkName} ${"down" | "frozen"}`;
  readonly process: number | "engine";
  readonly from: number;
  to: number;
}

/** Notes what happens, for the judgement and for people. */
export class Journal {
  readonly commands = new Map<string, CommandFacts>();
  readonly troubles: Trouble[] = [];
  readonly lines: { readonly at: number; readonly text: string }[] = [];
  readonly #now: () => number;
  /** The latest life of the engine of which each gateway has had a quick reply since its start. */
  readonly #heard = new Map<number, number>();

  constructor(now: () => number) {
    this.#now = now;
  }

  say(text: string): void {
    this.lines.push({ at: this.#now(), text });
  }

  came(command: CommandEvent, life: number, pausedAt: number | undefined): CommandFacts {
    const facts: CommandFacts = {
      command,
      life,
      earliest: pausedAt ?? this.#now(),
      latest: undefined,
      sent: [],
      receipts: [],
      effects: [],
    };
    this.commands.set(command.id, facts);
    this.say(`${command.user} -> ${gatewayName(command.gateway)}: ${inWords(command)}`);
    return facts;
  }

  told(facts: CommandFacts, told: Omit<Told, "at">): void {
    facts.told = { at: this.#now(), ...told };
    const { id, gateway, user } = facts.command;
    const why = told.code === "OK" ? "" : ` (${told.code}: ${told.message})`;
    this.say(`${gatewayName(gateway)} -> ${user}: ${id} ${told.outcome}${why}`);
  }

  /** A gateway's process begins, and knows nothing. */
  begins(gateway: number): void {
    this.#heard.delete(gateway);
  }

  /** A gateway has a reply soon enough to learn the engine's clock from it. */
  heard(gateway: number, clock: string | undefined): void {
    const life = Number(clock?.slice(clockOf("").length));
    this.#heard.set(gateway, Math.max(this.#heard.get(gateway) ?? 0, life));
  }

  sent({ lane, context }: EngineRequest): void {
    const facts = this.commands.get(context.requestId);
    if (lane === "read" || !facts) return;
    facts.sent.push(this.#now());
    facts.knownLife = this.#heard.get(facts.command.gateway);
    this.say(`${gatewayName(facts.command.gateway)} sends ${facts.command.id}`);
  }

  received({ lane, context }: EngineRequest, life: number): Receipt | undefined {
    const facts = this.commands.get(context.requestId);
    if (lane === "read" || !facts) return undefined;
    const isOfThisClock = context.clock === clockOf(life);
    const { arrived, arrivedWithin = 0 } = isOfThisClock ? context : {};
    const receipt: Receipt = { at: this.#now(), life, arrived, within: arrivedWithin };
    facts.receipts.push(receipt);
    return receipt;
  }

  effect(requestId: string, life: number): void {
    const facts = this.commands.get(requestId);
    if (!facts) return;
    facts.effects.push({ at: this.#now(), life });
    this.say(`engine carries out ${inWords(facts.command)}`);
  }

  replied(requestId: string, receipt: Receipt | undefined, reply: EngineReply): void {
    if (!receipt) return;
    receipt.repliedAt = this.#now();
    receipt.reply = reply.ok ? "ok" : reply.refusal;
    if (!reply.ok) this.say(`engine refuses ${requestId}: ${reply.message}`);
  }

  /** Notes a trouble that ends when the returned function is called, or with the history. */
  trouble(kind: Trouble["kind"], process: number | "engine", text: string): () => void {
    const trouble: Trouble = { kind, process, from: this.#now(), to: Number.POSITIVE_INFINITY };
    this.troubles.push(trouble);
    this.say(text);
    return () => {
      trouble.to = this.#now();
    };
  }
}

/** How the engine calls its clock in each of its lives. */
export function clockOf(life: number | ""): string {
  return `life ${life}`;
}

/** A, B, C. */
export function gatewayName(gateway: number | "engine"): string {
  return gateway === "engine" ? "engine" : String.fromCharCode("A".charCodeAt(0) + gateway);
}

function inWords({ id, operation, input, bodyMs }: CommandEvent): string {
  const target = String(input.projectionPath ?? input.name ?? `${input.gateway}/${input.session}`);
  const size = input.size === undefined ? "" : ` by ${input.size}`;
  const body = bodyMs > 0 ? `, body after ${bodyMs.toFixed(0)} ms` : "";
  return `${id} ${operation} ${target === "" ? "everything" : target}${size}${body}`;
}
