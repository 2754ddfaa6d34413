import { JetStreamApiError } from "@nats-io/jetstream";

/** Copies of what gateways share: one server may be lost. */
export const REPLICAS = 3;

/** What servers say that cannot keep so many: not a cluster, not enough nodes in it, not enough room on them. */
const TOO_MANY: ReadonlySet<number> = new Set([10_074, 10_005, 10_023]);

/** Makes a stream or a bucket with as many copies as the servers can keep: three, or else one. */
export async function withReplicas<T>(make: (replicas: number) => Promise<T>): Promise<T> {
  try {
    return await make(REPLICAS);
  } catch (error) {
    if (!(error instanceof JetStreamApiError) || !TOO_MANY.has(error.code)) throw error;
    return make(1);
  }
}
