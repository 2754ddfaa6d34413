import type { AdminClient } from "../../client/client.ts";
import { didYouMeanOneOf } from "../../core/values/near-names.ts";
import { connect } from "../connection/connect.ts";
import { EXIT } from "../exit-codes.ts";
import type { Run } from "../framework/definition.ts";
import { reading, run as readOne } from "../operations/read.ts";
import { printWithWho } from "../operations/stopped-by.ts";
import { formatOf } from "../output/format.ts";
import { printError } from "../terminal/messages.ts";
import {
  type ListedSession,
  type ReadFailure,
  readSessions,
  sessionName,
  tellFailures,
  withDetails,
} from "./session-list.ts";

/** `fix session`: one session with its details, by gateway and id; or by its id or a CompID alone, of whatever gateway. */
export const run: Run = async (invocation) => {
  const { arguments: args, options } = invocation;
  const isAlone = args.gateway && args.session === undefined && options.input === undefined;
  if (!isAlone) return (await readOne(invocation)) ?? EXIT.done;
  // The only argument may name a gateway or a session.
  const name = String(args.gateway);
  if (options.curl === true)
    return (await import("../operations/curl.ts")).printCurl(options, { operation: "listFixGateways", input: {} });
  const { client } = await connect(options);
  return reading(client, "listFixGateways", {}, async () => {
    const { sessions, failures, ids } = await found(client, name);
    const [session, ...others] = sessions;
    const format = formatOf(options);
    if (session && others.length === 0) await printWithWho(client, "getFixSession", session, { format });
    else printError(notOne(name, sessions, ids));
    const incomplete = tellFailures(failures);
    if (others.length > 0) return EXIT.usage;
    return incomplete || (session ? EXIT.done : EXIT.rejected);
  });
};

interface Found {
  /** With their details. */
  readonly sessions: readonly ListedSession[];
  readonly failures: readonly ReadFailure[];
  readonly ids: readonly string[];
}

/** Sessions with this id; if none has it, those with this CompID, which only their details show. */
async function found(client: AdminClient, name: string): Promise<Found> {
  const list = await readSessions(client);
  const ids = list.sessions.map(({ sessionId }) => sessionId);
  const byId = list.sessions.filter(({ sessionId }) => sessionId === name);
  const { sessions, failures } = await withDetails(client, byId.length > 0 ? byId : list.sessions);
  const isMeant = ({ senderId, targetId }: ListedSession): boolean => senderId === name || targetId === name;
  return {
    sessions: byId.length > 0 ? sessions : sessions.filter(isMeant),
    failures: [...list.failures, ...failures],
    ids,
  };
}

const MAX_NAMED = 12;

function notOne(name: string, sessions: readonly ListedSession[], ids: readonly string[]): string {
  const word = JSON.stringify(name);
  if (sessions.length === 0) return `no FIX session has the id or the CompID ${word}${didYouMeanOneOf(name, ids)}`;
  const named = sessions.slice(0, MAX_NAMED).map(sessionName).join(", ");
  const more = sessions.length > MAX_NAMED ? ` and ${sessions.length - MAX_NAMED} more` : "";
  return `${sessions.length} FIX sessions have the id or the CompID ${word}: ${named}${more}; name gateway and session`;
}
