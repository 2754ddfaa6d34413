import type { AdminClient } from "../../client/client.ts";
import { AdminClientError } from "../../client/errors.ts";
import { outcomeOf } from "../exit-codes.ts";
import { readSessions } from "../watch/sessions.ts";
import type { Snapshot } from "./state.ts";

/** Reads everything that the screen shows, side by side. */
export async function readAll(
  client: AdminClient,
  projection: string,
  call: { readonly signal: AbortSignal },
): Promise<Snapshot> {
  const [status, services, sessions, positions] = await Promise.all([
    client.getTradingStatus({}, call),
    client.listServices({}, call),
    readSessions(client, undefined, call),
    readPositions(client, projection, call),
  ]);
  return { at: Date.now(), status, services, sessions, positions };
}

/** A projection that the engine does not have is no reason to show nothing else. */
async function readPositions(
  client: AdminClient,
  projection: string,
  call: { readonly signal: AbortSignal },
): Promise<Snapshot["positions"]> {
  try {
    return await client.listPositions({ projection }, call);
  } catch (error) {
    if (!(error instanceof AdminClientError) || outcomeOf(error) !== "rejected") throw error;
    return `choose another projection with --positions: ${error.reason}`;
  }
}
