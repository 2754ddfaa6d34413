import type { Run } from "../../command/definition.ts";
import { connect } from "../../connection/connect.ts";
import { watchOptionsOf } from "../options.ts";
import { readSessions, type Session, sessionChanges, sessionSummary } from "../sessions.ts";
import { type Watched, watch } from "../watch.ts";

/** `fix watch`: changes of sessions, of one FIX gateway or of all. */
export const run: Run = async ({ arguments: { gateway }, options }) => {
  const { polling } = await connect(options);
  const sessions: Watched<Session[]> = {
    read: (call) => readSessions(polling, gateway === undefined ? undefined : String(gateway), call),
    summaryOf: sessionSummary,
    changesOf: (before, now) => sessionChanges(before, now, options.traffic === true),
  };
  await watch(sessions, watchOptionsOf(options));
  return undefined;
};
