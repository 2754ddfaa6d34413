import { DeliverPolicy, jetstream, jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { ALL_SUBJECTS, gatewayOf, isStreamMissing, streamSubject } from "./stream.ts";

const TIMEOUT_MS = 5_000;
const OPTIONS = { timeout: TIMEOUT_MS, checkAPI: false };

/** A line of an audit file that a stream has. */
export interface StreamLine {
  /** Name of the gateway whose file it is. */
  readonly gateway: string;
  /** The line, byte for byte, without its line end. */
  readonly bytes: Uint8Array;
  /** Its number in the stream, which holds the lines of several gateways. */
  readonly place: number;
}

export interface StreamSelection {
  readonly stream: string;
  /** Those of this gateway; of all unless given. */
  readonly gateway: string | undefined;
  /** Those behind this place in the stream; 0 for all. */
  readonly after: number;
  /** Whether to wait for further ones at the end. */
  readonly follow: boolean;
}

/** Name of the stream that takes audit records. Rejects if there is none. */
export async function findStream(connection: NatsConnection): Promise<string> {
  const { streams } = await jetstreamManager(connection, OPTIONS);
  const found = await streams.names(ALL_SUBJECTS).next();
  const [name] = found;
  if (name === undefined) throw new Error(`no stream on these NATS servers takes ${ALL_SUBJECTS}`);
  return name;
}

/** Reads the lines of a stream in its order: those of one gateway are in the order of its chain. */
export async function* streamLines(connection: NatsConnection, selection: StreamSelection): AsyncGenerator<StreamLine> {
  const { follow } = selection;
  const consumer = await consumerOf(connection, selection);
  if (!follow && (await consumer.info()).num_pending === 0) return;
  const messages = await consumer.consume();
  try {
    for await (const { subject, data, seq, info } of messages) {
      yield { gateway: gatewayOf(subject), bytes: data, place: seq };
      if (!follow && info.pending === 0) return;
    }
  } finally {
    await messages.close();
  }
}

async function consumerOf(connection: NatsConnection, { stream, gateway, after }: StreamSelection) {
  const filter = gateway === undefined ? ALL_SUBJECTS : streamSubject(gateway);
  const from = after === 0 ? {} : { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: after + 1 };
  try {
    return await jetstream(connection, OPTIONS).consumers.get(stream, { filter_subjects: filter, ...from });
  } catch (cause) {
    if (!isStreamMissing(cause)) throw cause;
    throw new Error(`these NATS servers have no stream ${JSON.stringify(stream)}`, { cause });
  }
}
