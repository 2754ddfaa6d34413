import type { EngineClient } from "./engine-client.ts";

/** A case of the kit for engines. */
export interface EngineCase {
  readonly name: string;
  check(engine: EngineClient): Promise<void>;
}

/** Does something and then cleans up, whatever happened; a failed clean-up fails the case when nothing else did. */
export async function cleaningUp(act: () => Promise<void>, cleanUp: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    // What the case found counts, not that a broken engine could not be tidied either.
    await cleanUp().catch(() => {});
    throw error;
  }
  await cleanUp();
}

/** Projection paths that are none, each for another reason (decision D-VAL 3). */
export const MALFORMED_PATHS: readonly string[] = [
  "Account",
  "Account[]",
  "Account[A",
  "Account[A]x",
  "Account[A]/",
  "/Account[A]",
  "[A]",
  "account[A]",
  "NoSuchKey[A]",
  "Account[A]/Account[B]",
];
