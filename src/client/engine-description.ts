import type { Output } from "../core/operations/table.ts";
import type { AdminClient, CallOptions } from "./client.ts";
import { AdminClientError } from "./errors.ts";

/**
 * What the engine says of itself, for advice that does without: undefined where it says nothing or cannot be asked, as an older engine, an
 * installation without extensions, or a client that has only some of the operations.
 */
export async function describedEngine(
  client: Partial<Pick<AdminClient, "describeEngine">>,
  call?: CallOptions,
): Promise<Output<"describeEngine"> | undefined> {
  try {
    return await client.describeEngine?.({}, call);
  } catch (error) {
    if (error instanceof AdminClientError) return undefined;
    throw error;
  }
}
