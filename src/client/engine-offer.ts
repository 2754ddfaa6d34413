import type { Output } from "../core/operations/table.ts";
import { type ProjectionKeys, SYMBOL_KEYS } from "../core/values/projection.ts";
import type { AdminClient, CallOptions } from "./client.ts";
import { AdminClientError } from "./errors.ts";

/** Position projections that many installations have. */
export const USUAL_POSITION_PROJECTIONS = [
  "Account/Symbol",
  "Exchange/Symbol",
  "Trader/Symbol",
  "Source/Account/Symbol",
  "Account/Currency",
] as const;

const MAX_NAMED = 16;

const symbolKeys: ProjectionKeys = new Set(SYMBOL_KEYS);

/** The projection of these keys by instrument: without one there are no positions (decision D-ENG 9). */
export function byInstrument(keys: readonly string[]): string {
  return (keys.some((key) => symbolKeys.has(key)) ? keys : [...keys, "Symbol"]).join("/");
}

/**
 * What the engine says of the projections by which it lists positions. None does by the root (decision D-ENG 9), so it refuses that, and may
 * name those that it has; undefined where it says nothing.
 */
export async function offeredProjections(
  client: Pick<AdminClient, "listPositions">,
  call?: CallOptions,
): Promise<string | undefined> {
  try {
    await client.listPositions({ projection: "" }, call);
    return undefined;
  } catch (error) {
    if (isRefusal(error)) return error.reason;
    if (error instanceof AdminClientError) return undefined;
    throw error;
  }
}

/** Whether a read was refused for what it asks for: another time it is refused as well. */
export function isRefusal(error: unknown): error is AdminClientError {
  return error instanceof AdminClientError && error.status === 400;
}

/** Words of a refusal that look like position projections: most engines name theirs. */
export function projectionsNamedIn(refusal: string): string[] {
  const words = refusal.match(/[A-Za-z]\w*(?:\/[A-Za-z]\w*)*/g) ?? [];
  return words.filter((word) => word.split("/").some((key) => symbolKeys.has(key))).slice(0, MAX_NAMED);
}

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
