import type { Run } from "../command/definition.ts";
import { write } from "../output/print.ts";
import { type Candidate, type Cursor, cursorOf } from "./cursor.ts";

/** The longest that a completion may take. */
const TIMEOUT_MS = 1_500;

/** `completion candidates`: what may stand at the end of a command line, `word<TAB>description` a line. */
export const run: Run = async ({ table, arguments: { words = [] } }) => {
  const typed = [words].flat();
  const cursor = cursorOf(table, typed);
  const current = unquoted(typed.at(-1) ?? "");
  const candidates = [...cursor.words, ...(await liveCandidates(cursor))].filter(({ word }) =>
    word.startsWith(current),
  );
  write(candidates.map(({ word, description }) => `${oneLine(word)}\t${oneLine(description)}\n`).join(""));
};

/** Names of the live installation; none when it cannot be asked, for there is no place to say why. */
async function liveCandidates({ argument, arguments: known, options }: Cursor): Promise<Candidate[]> {
  const namesOf = NAMES[argument ?? ""];
  if (!namesOf) return [];
  try {
    const { connect } = await import("../connection/connect.ts");
    const { client } = await connect(options);
    const names = await namesOf(client, { signal: AbortSignal.timeout(TIMEOUT_MS) }, known.gateway);
    return names.map((word) => ({ word, description: argument ?? "" }));
  } catch {
    // See above.
    return [];
  }
}

type Client = Awaited<ReturnType<typeof import("../connection/connect.ts").connect>>["client"];

type NamesOf = (client: Client, call: { readonly signal: AbortSignal }, gateway?: string) => Promise<string[]>;

/** The names that an argument can have. */
const NAMES: Readonly<Record<string, NamesOf>> = {
  gateway: async (client, call) => (await client.listFixGateways({}, call)).map(({ gatewayName }) => gatewayName),
  service: async (client, call) => (await client.listServices({}, call)).map(({ name }) => name),
  session: async (client, call, gateway = "") =>
    (await client.listFixSessions({ gateway }, call)).map(({ sessionId }) => sessionId),
};

/** The word at the cursor as it will be once the shell has read it. */
function unquoted(word: string): string {
  return word.replace(/^["']/, "").replaceAll(/\\(.)/g, "$1");
}

function oneLine(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, " ");
}
