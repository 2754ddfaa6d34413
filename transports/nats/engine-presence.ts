import type { Msg } from "@nats-io/transport-node";
import { isObject, jsonIn } from "../../src/core/values/basics.ts";
import { type EngineInstance, type EngineWatch, engineInstance } from "../link/engine-watch.ts";
import { isNoResponders } from "./messages.ts";
import { SERVICE_NAME } from "./micro-service.ts";

/** How often engines are asked who they are. */
const ROUND_MS = 2_000;
/** How long after a first "no responders" a second one counts: engines that are being restarted leave a gap. */
const CONFIRM_MS = 300;
/** Without a sign of the engine for this long it counts as gone, as at the other end of a half-open connection. */
const SILENCE_MS = 10_000;

/** More and longer replies than any installation has are not kept. */
const MAX_ENGINES = 100;
const MAX_BYTES = 64 * 1024;

/** Where micro services are asked what they are (NATS ADR-32). */
const INFO_SUBJECT = `$SRV.INFO.${SERVICE_NAME}`;

/** Begin of the reply tokens that belong to {@link EnginePresence}; tokens of requests are numbers. */
const INFO_TOKEN = "info-";
const PROBE_TOKEN = "probe-";

/** In whose name engines are asked for a read, to see whether one listens. */
export const PROBER = { user: "gateway", requestId: "presence" };

export interface PresenceWay {
  /** One of the subjects that an engine listens to. */
  readonly subject: string;
  /** Monotonic milliseconds. */
  now(): number;
  isConnected(): boolean;
  /** Payload of a read that every engine replies to. */
  probe(): string;
  /** The engine is a different process from before. */
  restarted(): void;
}

/** Publishes on a connection; a reply with the token comes to {@link EnginePresence.take}. */
type Publish = (subject: string, payload: string, token: string) => void;

/**
 * Whether an engine listens behind a connection to a NATS server. An engine is present when it says so as a micro service, and when it replies
 * to anything. Nothing but the server's "no responders" to requests, twice, makes it absent, or silence to everything: an engine need
 * not be a micro service, and the server may not let this user ask. No request depends on this.
 */
export class EnginePresence {
  readonly #way: PresenceWay;
  readonly #watch: EngineWatch;
  #isHere = true;
  #rounds = 0;
  #roundAt = 0;
  #found = new Map<string, EngineInstance>();
  /** Subjects that descriptions named in this round, and in the one before. */
  #named = new Set<unknown>();
  #namedBefore = new Set<unknown>();
  #heardAt = 0;
  /** When the server first said that nobody listens, since the latest sign of an engine. */
  #missedAt: number | undefined;
  #goneAt = 0;
  #isService = false;
  #mayAsk = true;
  #mayProbe = true;
  #publish: Publish = () => {};
  #timer: NodeJS.Timeout | undefined;
  #confirmation: NodeJS.Timeout | undefined;

  constructor(way: PresenceWay, watch: EngineWatch) {
    this.#way = way;
    this.#watch = watch;
  }

  get isHere(): boolean {
    return this.#isHere;
  }

  /**
   * Whether there is an engine, and nobody is expected to listen to a subject: a micro service does not name it, or it is one that an
   * engine need not have.
   */
  lacks(subject: string, isOptional: boolean): boolean {
    if (!this.#isHere || this.#missedAt !== undefined) return false;
    return this.#isService ? !this.#named.has(subject) && !this.#namedBefore.has(subject) : isOptional;
  }

  connected(publish: Publish): void {
    this.#pause();
    this.#publish = publish;
    [this.#mayAsk, this.#mayProbe, this.#missedAt] = [true, true, undefined];
    this.#heardAt = this.#way.now();
    this.#timer = setInterval(() => this.#nextRound(), ROUND_MS).unref();
    this.#begin();
  }

  close(): void {
    this.#pause();
    this.#watch.closed(this);
  }

  /** A request that was sent at a moment had its reply. */
  replied(sentAt: number): void {
    this.#heardAt = this.#way.now();
    // The reply may come from an engine that has gone since.
    if (this.#missedAt !== undefined && sentAt < this.#missedAt) return;
    this.#missedAt = undefined;
    this.#needNoConfirmation();
    if (this.#isHere || sentAt < this.#goneAt) return;
    this.#isHere = true;
    this.#watch.here(this);
  }

  /** The server has said that nobody listens to a request that was sent at a moment. */
  missed(sentAt: number): void {
    this.#missedAt ??= this.#way.now();
    if (sentAt - this.#missedAt >= CONFIRM_MS) this.#gone(`No engine listens to ${this.#way.subject}`);
    else this.#confirmation ??= setTimeout(() => this.#confirm(), CONFIRM_MS + 5).unref();
  }

  /** The server does not let this user publish to a subject. */
  denied(subject: string): void {
    if (subject === INFO_SUBJECT) this.#mayAsk = false;
    if (subject === this.#way.subject) this.#mayProbe = false;
  }

  /** Takes a reply that is not one to a request; returns false for any other. */
  take(token: string, message: Msg): boolean {
    const isInfo = token.startsWith(INFO_TOKEN);
    if (!isInfo && !token.startsWith(PROBE_TOKEN)) return false;
    const isNobody = isNoResponders(message);
    if (isInfo && isNobody) this.#hasLeft();
    else if (isInfo) this.#describe(message);
    else if (isNobody) this.missed(Number(token.slice(PROBE_TOKEN.length)));
    else this.replied(Number(token.slice(PROBE_TOKEN.length)));
    return true;
  }

  /** A micro service that there was no longer replies: whether an engine listens nevertheless shows the next request. */
  #hasLeft(): void {
    if (this.#isService) this.#probe();
    this.#isService = false;
  }

  #describe(message: Msg): void {
    const described = describedIn(message, this.#way.subject);
    if (!described) return;
    const { instance, subjects } = described;
    this.#isService = true;
    for (const subject of subjects) this.#named.add(subject);
    if (this.#found.size < MAX_ENGINES) this.#found.set(instance.id, instance);
    this.replied(this.#roundAt);
  }

  #nextRound(): void {
    if (!this.#way.isConnected()) return;
    const found = [...this.#found.values()];
    if (found.length > 0 && this.#watch.found(this, found)) this.#way.restarted();
    if (this.#heardAt < this.#roundAt) this.#probe();
    const isSilent = this.#way.now() - this.#heardAt > SILENCE_MS && (this.#mayAsk || this.#mayProbe);
    if (isSilent) this.#gone(`The engine behind ${this.#way.subject} has not responded for ${SILENCE_MS / 1_000} s`);
    this.#begin();
  }

  #begin(): void {
    this.#found = new Map();
    [this.#namedBefore, this.#named] = [this.#named, new Set()];
    this.#rounds += 1;
    this.#roundAt = this.#way.now();
    if (this.#mayAsk) this.#publish(INFO_SUBJECT, "", `${INFO_TOKEN}${this.#rounds}`);
  }

  #confirm(): void {
    this.#confirmation = undefined;
    this.#probe();
  }

  #probe(): void {
    if (!this.#mayProbe || !this.#way.isConnected()) return;
    this.#publish(this.#way.subject, this.#way.probe(), `${PROBE_TOKEN}${Math.floor(this.#way.now())}`);
  }

  #gone(message: string): void {
    if (!this.#isHere) return;
    this.#isHere = false;
    this.#goneAt = this.#way.now();
    this.#watch.gone(this, message);
  }

  #pause(): void {
    clearInterval(this.#timer);
    this.#needNoConfirmation();
  }

  #needNoConfirmation(): void {
    clearTimeout(this.#confirmation);
    this.#confirmation = undefined;
  }
}

interface Described {
  readonly instance: EngineInstance;
  readonly subjects: readonly unknown[];
}

/** The engine that has described itself; undefined for a service of other subjects, and for what is not a description. */
function describedIn(message: Msg, subject: string): Described | undefined {
  const content = message.data.length > MAX_BYTES ? undefined : jsonIn(message.string());
  const { id, metadata, endpoints } = isObject(content) ? content : {};
  const subjects = Array.isArray(endpoints) ? endpoints.map((one) => isObject(one) && one.subject) : [];
  if (!subjects.includes(subject) || typeof id !== "string") return undefined;
  const { stateId } = isObject(metadata) ? metadata : {};
  return { instance: engineInstance(id, typeof stateId === "string" ? stateId : undefined), subjects };
}
