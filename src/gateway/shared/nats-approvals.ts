import { hash } from "node:crypto";
import {
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
} from "@nats-io/jetstream";
import { type KV, Kvm } from "@nats-io/kv";
import type { NatsConnection } from "@nats-io/transport-node";
import { nameKey } from "../../auth/names.ts";
import type { Logger } from "../../core/logger.ts";
import { MAX_REQUESTS_PER_USER } from "../../core/records/waiting.ts";
import { messageOf } from "../../core/values/basics.ts";
import type { ApprovalRequest, ApprovalStore, Approver, StoredApprovalRequest } from "../../policy/approvals.ts";
import { REPLICAS, type SharedNats, withReplicas } from "./shared-nats.ts";

const BUCKET = "trading-admin-asks";
const STREAM = `KV_${BUCKET}`;

/** The first version that reads the messages of a subject in their order. */
const MIN_VERSION = [2, 9];

const NANOSECONDS = 1_000_000;

/** Pause before the bucket is tried again. */
const RETRY_MS = 2_000;

export interface NatsApprovalsOptions {
  readonly withinMs: number;
  /** Milliseconds that one step may take. */
  readonly stepMs: number;
  readonly log: Logger;
}

/** The bucket over one connection. */
interface Bucket {
  readonly kv: KV;
  readonly manager: JetStreamManager;
}

/**
 * Requests in a bucket of NATS JetStream, for any number of gateways (decision D-SHARE 1): `ask.<command>.<user>` and `taken.<revision of a request>`. Whoever takes
 * a request creates its key; nothing is updated by revision, as some nats-servers let two callers do so. All is read from the leader, and the age of a request
 * depends on the servers' clock alone.
 */
export class NatsApprovals implements ApprovalStore {
  readonly #shared: SharedNats;
  readonly #options: NatsApprovalsOptions;
  #opened: { readonly connection: NatsConnection; readonly bucket: Promise<Bucket> } | undefined;

  constructor(shared: SharedNats, options: NatsApprovalsOptions) {
    this.#shared = shared;
    this.#options = options;
    // Whatever is wrong with the store is in the log before anybody needs it.
    shared.onConnection((connection) => this.#keepOpening(connection));
  }

  async put(request: ApprovalRequest): Promise<number> {
    const { kv, manager } = await this.#bucket();
    const user = userOf(request);
    const { state } = await manager.streams.info(STREAM, { subjects_filter: subjectOf(`ask.*.${user}`) });
    const key = `ask.${request.command}.${user}`;
    const own = Object.keys(state.subjects ?? {}).filter((subject) => subject !== subjectOf(key));
    if (own.length >= MAX_REQUESTS_PER_USER) {
      const oldest = await messageAfter(manager, 0, `ask.*.${user}`);
      if (oldest) await manager.streams.purge(STREAM, { filter: oldest.subject, seq: oldest.seq + 1 });
    }
    return kv.put(key, JSON.stringify(request));
  }

  async list(command: string): Promise<readonly StoredApprovalRequest[]> {
    const { kv, manager } = await this.#bucket();
    const found: { readonly request: ApprovalRequest; readonly revision: number; readonly time: number }[] = [];
    for (let after = 0; ; after = found.at(-1)?.revision ?? 0) {
      const message = await messageAfter(manager, after, `ask.${command}.*`);
      if (!message) break;
      found.push({ request: message.json<ApprovalRequest>(), revision: message.seq, time: message.time.getTime() });
    }
    // The servers forget old ones; this is for the case that their clock was set back.
    const now = found.at(-1)?.time ?? 0;
    const young = found.filter(({ time }) => Math.abs(now - time) <= this.#options.withinMs);
    return Promise.all(
      young.map(async ({ request, revision }) => {
        const taker = await takerOf(kv, revision);
        return { request, revision, ...(taker && { taker }) };
      }),
    );
  }

  async take(revision: number, taker: Approver): Promise<Approver | undefined> {
    const { kv } = await this.#bucket();
    try {
      await kv.create(takenKey(revision), JSON.stringify(taker));
      return undefined;
    } catch (error) {
      if (!(error instanceof JetStreamApiError) || error.code !== JetStreamApiCodes.StreamWrongLastSequence)
        throw error;
    }
    const other = await takerOf(kv, revision);
    if (!other) throw new Error("Who took the change is no longer known");
    return other;
  }

  #bucket(): Promise<Bucket> {
    const { connection, address } = this.#shared;
    if (!connection) return Promise.reject(new Error(`There is no connection to the NATS server at ${address}`));
    return this.#open(connection);
  }

  /** Tries until the bucket is open or the connection is lost: servers that have just started need seconds to make it. */
  #keepOpening(connection: NatsConnection, lastReason?: string): void {
    this.#open(connection).catch((error: unknown) => {
      const reason = messageOf(error);
      if (reason !== lastReason) {
        this.#options.log.error("APPROVALS UNAVAILABLE: changes that need two people are refused", { reason });
      }
      const again = (): void => {
        if (this.#shared.connection === connection) this.#keepOpening(connection, reason);
      };
      setTimeout(again, RETRY_MS).unref();
    });
  }

  #open(connection: NatsConnection): Promise<Bucket> {
    if (this.#opened?.connection === connection) return this.#opened.bucket;
    const bucket = openBucket(connection, this.#options);
    const opened = { connection, bucket };
    this.#opened = opened;
    bucket.catch(() => {
      // The next attempt, or the next request, tries again.
      if (this.#opened === opened) this.#opened = undefined;
    });
    return bucket;
  }
}

async function openBucket(connection: NatsConnection, options: NatsApprovalsOptions): Promise<Bucket> {
  const { withinMs, stepMs, log } = options;
  const version = connection.info?.version ?? "unknown";
  if (!isNewEnough(version))
    throw new Error(`nats-server ${version} is too old for approvals, ${MIN_VERSION.join(".")} is needed`);
  const manager = await jetstreamManager(connection, { timeout: stepMs });
  const kv = await createBucket(connection, options);
  const { config } = await manager.streams.info(STREAM);
  if (config.max_age < withinMs * NANOSECONDS) {
    await manager.streams.update(STREAM, { max_age: withinMs * NANOSECONDS });
  }
  const facts = { bucket: BUCKET, replicas: config.num_replicas, server: `nats-server ${version}` };
  if (config.num_replicas >= REPLICAS) log.info("Approvals are shared by gateways", facts);
  else log.warn("Approvals are shared by gateways, but kept on too few NATS servers to survive the loss of one", facts);
  return { kv, manager };
}

function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [minMajor = 0, minMinor = 0] = MIN_VERSION;
  return major > minMajor || (major === minMajor && minor >= minMinor);
}

function createBucket(connection: NatsConnection, { withinMs, stepMs }: NatsApprovalsOptions): Promise<KV> {
  const kvm = new Kvm(jetstream(connection, { timeout: stepMs }));
  const options = { ttl: withinMs, description: "Changes that wait for a second person", allow_direct: false };
  return withReplicas((replicas) => kvm.create(BUCKET, { ...options, replicas }));
}

/** The next message of a key with wildcards, from the leader. */
function messageAfter(manager: JetStreamManager, revision: number, key: string) {
  const query = { seq: revision + 1, next_by_subj: subjectOf(key) };
  return manager.streams.getMessage(STREAM, query);
}

async function takerOf(kv: KV, revision: number): Promise<Approver | undefined> {
  const entry = await kv.get(takenKey(revision));
  return entry?.json<Approver>();
}

function takenKey(revision: number): string {
  return `taken.${revision}`;
}

/** The same for all spellings of a name, and no wildcard. */
function userOf({ user }: ApprovalRequest): string {
  return hash("sha256", nameKey(user), "hex");
}

function subjectOf(key: string): string {
  return `$KV.${BUCKET}.${key}`;
}
