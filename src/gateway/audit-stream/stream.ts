import {
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from "@nats-io/jetstream";
import type { Logger } from "../../core/logger.ts";
import { REPLICAS, withReplicas } from "../shared/shared-nats.ts";

/** How long JetStream remembers the ids of messages. */
const DUPLICATES_NS = 120_000_000_000;

function wanted(name: string, num_replicas: number): Partial<StreamConfig> & Pick<StreamConfig, "name"> {
  return {
    name,
    subjects: [ALL_SUBJECTS],
    description: "Audit records of trading-admin gateways",
    storage: StorageType.File,
    retention: RetentionPolicy.Limits,
    num_replicas,
    deny_delete: true,
    deny_purge: true,
    duplicate_window: DUPLICATES_NS,
  };
}

/**
 * Makes sure that the stream exists: with three replicas, or one where the server is alone, in files, and so that nothing can be deleted
 * from it. One that exists is left as it is; what it lacks is logged.
 */
export async function ensureStream({ streams }: JetStreamManager, name: string, log: Logger): Promise<void> {
  try {
    const { config } = await streams.info(name);
    reportLacks(config, log);
  } catch (error) {
    if (!isStreamMissing(error)) throw error;
    await create(streams, name, log);
  }
}

export function isStreamMissing(error: unknown): boolean {
  return error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound;
}

async function create(streams: JetStreamManager["streams"], name: string, log: Logger): Promise<void> {
  const { config } = await withReplicas((replicas) => streams.add(wanted(name, replicas)));
  log.info("Audit stream: created", { stream: name, replicas: config.num_replicas });
  reportLacks(config, log);
}

function reportLacks(config: StreamConfig, log: Logger): void {
  const lacks = [
    ...(config.num_replicas < REPLICAS ? [`it has ${config.num_replicas} of ${REPLICAS} replicas`] : []),
    ...(config.deny_delete && config.deny_purge ? [] : ["records can be deleted from it"]),
    ...(config.storage === StorageType.File ? [] : ["it is in memory"]),
    ...(config.max_age > 0 || config.max_msgs > 0 || config.max_bytes > 0 ? ["its limits delete old records"] : []),
    ...(config.subjects.includes(ALL_SUBJECTS) ? [] : [`it does not take ${ALL_SUBJECTS}`]),
  ];
  if (lacks.length > 0) log.warn(`Audit stream: ${lacks.join(", ")}`, { stream: config.name });
}

const PREFIX = "audit.";

/** Subjects of a stream of audit records: one for each gateway. */
export const ALL_SUBJECTS = `${PREFIX}*`;

/** The subject of a gateway's records: `audit.gw-1`; everything but letters, digits, `-` and `_` in its name is percent-encoded. */
export function streamSubject(gateway: string): string {
  return PREFIX + tokenOf(gateway);
}

export function gatewayOf(subject: string): string {
  const token = subject.slice(PREFIX.length);
  try {
    return decodeURIComponent(token);
  } catch {
    // Somebody else's subject.
    return token;
  }
}

/** The id by which JetStream knows a record that is sent again. */
export function messageId(gateway: string, seq: number): string {
  return `${tokenOf(gateway)}-${seq}`;
}

function tokenOf(name: string): string {
  const escaped = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  // Without lone surrogates, which have no encoding.
  return encodeURIComponent(Buffer.from(name).toString()).replace(/[.!~*'()]/g, escaped);
}
