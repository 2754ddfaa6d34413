import type { Output } from "../core/operations/table.ts";
import type { AdminClient, CallOptions } from "./client.ts";
import { AdminClientError } from "./errors.ts";

/**
 * What the engine says of itself, for advice that does without: undefined where it says nothing or cannot be asked, as an older engine or an
 * installation without extensions.
 */
export async function describedEngine(
  client: Pick<AdminClient, "describeEngine">,
  call?: CallOptions,
): Promise<Output<"describeEngine"> | undefined> {
  try {
    return await client.describeEngine({}, call);
  } catch (error) {
    if (error instanceof AdminClientError) return undefined;
    throw error;
  }
}
