import { setTimeout as pause } from "node:timers/promises";
import { type JetStreamClient, type JetStreamManager, jetstream, jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { type ChainPosition, GENESIS, readClaim } from "../../audit/chain.ts";
import { LineFollower } from "../../audit/line-follower.ts";
import type { Logger } from "../../core/logger.ts";
import { messageOf } from "../../core/values/basics.ts";
import { ensureStream, messageId, streamSubject } from "./stream.ts";

/** How long the server has for an acknowledgement. */
const TIMEOUT_MS = 5_000;
/** Between two looks at the file, unless there is word of a record; and between two attempts. */
const PAUSE_MS = 1_000;
/** How long a stream is unavailable before that is reported: at startup, or while it elects a leader, it soon is available. */
const TELL_AFTER_MS = 3_000;
/** How long the end of the file may take when the gateway closes. */
const CLOSE_MS = 2_000;

export interface PublisherOptions {
  /** Path of the current audit file. */
  readonly path: string;
  readonly stream: string;
  readonly gateway: string;
  /** Position of the last durable record. */
  readonly last: () => ChainPosition;
  /** The way to NATS, which comes and goes. */
  readonly nats: { readonly connection: NatsConnection | undefined };
  readonly log: Logger;
}

/** The stream over one connection, and what it has of this gateway. */
interface Session {
  readonly connection: NatsConnection;
  readonly manager: JetStreamManager;
  readonly client: JetStreamClient;
  /** Sequence number, in the stream, of the last message on the subject; 0 if there is none. */
  lastInStream: number;
}

interface Sending extends ChainPosition {
  readonly bytes: Buffer;
}

/**
 * Publishes the lines of an audit file behind it, one after the other, each once: the last line of the stream is the place to continue from, over
 * losses of the connection and restarts. The file is the record: a stream that is unavailable delays nothing (decisions D-LOG 20, D-LOG 21).
 */
export class StreamPublisher {
  readonly #options: PublisherOptions;
  readonly #subject: string;
  #lines: LineFollower | undefined;
  #acknowledged: ChainPosition = GENESIS;
  #sending: Sending | undefined;
  #session: Session | undefined;
  /** Where the trail ended when this gateway began. */
  #beganAt: ChainPosition = GENESIS;
  readonly #waiting: { readonly seq: number; readonly resolve: () => void }[] = [];
  #wake: () => void = () => {};
  /** Monotonic time since which nothing can be published. */
  #awaySince: number | undefined;
  #isAwayTold = false;
  #hasForked = false;
  #closing = false;
  #running: Promise<void> = Promise.resolve();

  constructor(options: PublisherOptions) {
    this.#options = options;
    this.#subject = streamSubject(options.gateway);
  }

  start(): void {
    this.#beganAt = this.#options.last();
    this.#running = this.#run();
  }

  /** Durable records that the stream has not acknowledged. */
  get behind(): number {
    return Math.max(0, this.#options.last().seq - this.#acknowledged.seq);
  }

  /** Says that there may be a new record. */
  notify(): void {
    this.#wake();
  }

  /** Resolves once the stream has the record of this number. */
  whenAcknowledged(seq: number): Promise<void> {
    if (this.#acknowledged.seq >= seq) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ seq, resolve }));
  }

  /** Publishes what is left, for two seconds at most. */
  async close(): Promise<void> {
    this.#wake();
    if (this.#session) await atMost(CLOSE_MS, this.whenAcknowledged(this.#options.last().seq));
    this.#closing = true;
    this.#wake();
    // What is on its way after that ends with the connection.
    await atMost(CLOSE_MS, this.#running);
    await this.#lines?.close();
  }

  async #run(): Promise<void> {
    while (!this.#closing) {
      const word = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      await this.#publishAll().catch((error: unknown) => this.#failed(error));
      if (!this.#closing) await atMost(PAUSE_MS, this.#awaySince === undefined ? word : undefined);
    }
  }

  async #publishAll(): Promise<void> {
    const { connection } = this.#options.nats;
    if (!connection) throw new Error("There is no connection to NATS");
    const session = this.#session?.connection === connection ? this.#session : await this.#begin(connection);
    this.#session = session;
    while (!this.#closing) {
      const line = await this.#next();
      if (!line) break;
      await this.#publish(session, line);
    }
    this.#isBack();
  }

  /** The line that the stream has not acknowledged, or the next one that is durable. */
  async #next(): Promise<Sending | undefined> {
    while (!this.#sending) {
      const line = await this.#lines?.next();
      if (!line) return undefined;
      const claim = readClaim(line.bytes);
      if (!claim || claim.seq <= this.#acknowledged.seq) continue;
      if (claim.seq > this.#acknowledged.seq + 1) this.#lacks(claim.seq - 1);
      // The record before was put into the file by somebody else, or this one was. It is sent all the same: both are evidence.
      else if (claim.previous !== this.#acknowledged.hash) this.#fork(this.#acknowledged);
      this.#sending = { ...claim, bytes: line.bytes };
    }
    return this.#sending;
  }

  /** Rotation has removed records before they were published, or before there was a stream. */
  #lacks(last: number): void {
    const { stream, log } = this.#options;
    const first = this.#acknowledged.seq + 1;
    const records = first === last ? `record ${first}` : `records ${first} to ${last}`;
    const message = `it will never have ${records}, as no audit file has them any more`;
    if (first === 1) log.warn(`Audit stream: ${message}`, { stream });
    else log.error(`AUDIT STREAM INCOMPLETE: ${message} (admin.audit.max-files)`, { stream, subject: this.#subject });
  }

  async #publish(session: Session, line: Sending): Promise<void> {
    const { gateway } = this.#options;
    const id = messageId(gateway, line.seq);
    let ack = await this.#send(session, line, id);
    // A message of this id, and other content: a record that is gone from the file, or of another gateway with this name.
    if (ack.duplicate && !(await this.#has(session, ack.seq, line.bytes))) {
      this.#fork(line);
      ack = await this.#send(session, line, `${id}-${line.hash}`);
    }
    session.lastInStream = ack.seq;
    this.#advance(line);
  }

  #send({ client, lastInStream }: Session, { bytes }: Sending, msgID: string) {
    return client.publish(this.#subject, bytes, {
      msgID,
      timeout: TIMEOUT_MS,
      expect: { streamName: this.#options.stream, lastSubjectSequence: lastInStream },
    });
  }

  async #has({ manager }: Session, seq: number, bytes: Buffer): Promise<boolean> {
    const message = await manager.streams.getMessage(this.#options.stream, { seq });
    return message !== null && bytes.equals(message.data);
  }

  #advance({ seq, hash }: ChainPosition): void {
    this.#sending = undefined;
    this.#acknowledged = { seq, hash };
    for (const waiter of this.#waiting.splice(0)) {
      if (waiter.seq <= seq) waiter.resolve();
      else this.#waiting.push(waiter);
    }
  }

  /** Finds out what the stream has, and so where to continue. */
  async #begin(connection: NatsConnection): Promise<Session> {
    const { stream, log } = this.#options;
    const options = { timeout: TIMEOUT_MS, checkAPI: false };
    const manager = await jetstreamManager(connection, options);
    await ensureStream(manager, stream, log);
    const found = await manager.streams.getMessage(stream, { last_by_subj: this.#subject });
    const claim = found && readClaim(found.data);
    await this.#continueAfter(claim ?? GENESIS);
    return { connection, manager, client: jetstream(connection, options), lastInStream: found?.seq ?? 0 };
  }

  async #continueAfter(inStream: ChainPosition): Promise<void> {
    if (this.#sending?.hash === inStream.hash) this.#advance(inStream);
    if (this.#lines && this.#acknowledged.hash === inStream.hash) return;
    if (inStream.seq === 0 || (await this.#isInFile(inStream))) return this.#follow(inStream);
    this.#fork(inStream);
    if (!this.#lines) await this.#follow(this.#beganAt);
  }

  async #follow({ seq, hash }: ChainPosition): Promise<void> {
    await this.#lines?.close();
    this.#sending = undefined;
    this.#advance({ seq, hash });
    this.#lines = this.#linesAfter(() => this.#acknowledged.seq);
  }

  #linesAfter(lastSeq: () => number): LineFollower {
    return new LineFollower(this.#options.path, {
      lastSeq,
      isReadable: (line) => (readClaim(line)?.seq ?? 0) <= this.#options.last().seq,
    });
  }

  async #isInFile({ seq, hash }: ChainPosition): Promise<boolean> {
    const lines = this.#linesAfter(() => seq - 1);
    try {
      for (let line = await lines.next(); line; line = await lines.next()) {
        const claim = readClaim(line.bytes);
        if (claim?.hash === hash) return true;
        if (claim && claim.seq > seq) return false;
      }
      return false;
    } finally {
      await lines.close();
    }
  }

  #fork({ seq }: ChainPosition): void {
    if (this.#hasForked) return;
    this.#hasForked = true;
    this.#options.log.error(
      `AUDIT STREAM DIFFERS: its record ${seq} is not the one in the audit file. Records were removed from the file or put into it, or another gateway ` +
        "has the name of this one (admin.gateway.name); audit verify with the file and the stream says more",
      { stream: this.#options.stream, subject: this.#subject },
    );
  }

  #failed(error: unknown): void {
    // What the stream has is no longer certain.
    this.#session = undefined;
    this.#awaySince ??= performance.now();
    if (this.#isAwayTold || this.#closing || performance.now() - this.#awaySince < TELL_AFTER_MS) return;
    this.#isAwayTold = true;
    this.#options.log.error("AUDIT STREAM AWAY: records are kept in the file, and published when it is back", {
      stream: this.#options.stream,
      cause: messageOf(error),
    });
  }

  #isBack(): void {
    this.#awaySince = undefined;
    if (!this.#isAwayTold) return;
    this.#isAwayTold = false;
    this.#options.log.info("Audit stream: back, all records that the files have are published", {
      stream: this.#options.stream,
    });
  }
}

/** Resolves when the work is done, if there is any, or after `ms` milliseconds. */
async function atMost(ms: number, work: Promise<void> | undefined): Promise<void> {
  const enough = new AbortController();
  const waiting = pause(ms, undefined, { signal: enough.signal }).catch(() => {});
  await (work ? Promise.race([work, waiting]) : waiting);
  enough.abort();
}
