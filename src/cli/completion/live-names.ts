import { STANDARD_PROJECTION_KEYS } from "../../core/values/projection.ts";
import type { Options } from "../framework/definition.ts";

/** The longest that a completion may take. */
const TIMEOUT_MS = 1_500;

/** What is typed of a name, and before it. */
interface Typed {
  /** First word: the command, or the group that it is in. */
  readonly group: string;
  readonly gateway?: string | undefined;
  readonly options: Options;
  readonly current: string;
}

/** The names that an argument, or the value of an option, can have, as far as the live installation says. */
export async function liveNames(argument: string, typed: Typed): Promise<readonly string[]> {
  return (await NAMES[argument]?.(reading(typed.options), typed)) ?? [];
}

type Client = Awaited<ReturnType<typeof import("../connection/connect.ts").connect>>["client"];

/** Reads from the installation; undefined when it cannot be reached, since a completion has no place to say why. */
type Read = <T>(read: (client: Client, call: { readonly signal: AbortSignal }) => Promise<T>) => Promise<T | undefined>;

function reading(options: Options): Read {
  const connecting = import("../connection/connect.ts").then(({ connect }) => connect(options));
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  return async (read) => {
    try {
      return await read((await connecting).client, { signal });
    } catch {
      // See above.
      return undefined;
    }
  };
}

type NamesOf = (read: Read, typed: Typed) => Promise<readonly string[] | undefined>;

/** The names that an argument can have. */
const NAMES: Readonly<Record<string, NamesOf>> = {
  path: async (read, { group, current }) => {
    const [list, engine] = await Promise.all([
      read((client, call) => client.listHalts({}, call)),
      read((client, call) => client.describeEngine({}, call)),
    ]);
    const halted = list?.halts.map(({ projectionPath }) => projectionPath).filter((path) => path !== "") ?? [];
    const { haltKeys, projectionKeys = STANDARD_PROJECTION_KEYS } = engine ?? {};
    return [...halted, ...nextSegments(current, group === "positions" ? projectionKeys : (haltKeys ?? projectionKeys))];
  },
  gateway: (read) =>
    read(async (client, call) => (await client.listFixGateways({}, call)).map(({ gatewayName }) => gatewayName)),
  service: (read) => read(async (client, call) => (await client.listServices({}, call)).map(({ name }) => name)),
  projection: (read, { group }) =>
    read(async (client, call) => {
      const { positionProjections = [], riskTables = [] } = await client.describeEngine({}, call);
      const ofTables = riskTables.map(({ projection }) => projection).filter((projection) => projection !== "");
      return group === "risk" ? ofTables : positionProjections;
    }),
  session: (read, { gateway = "" }) =>
    read(async (client, call) => (await client.listFixSessions({ gateway }, call)).map(({ sessionId }) => sessionId)),
};

/** The beginnings of a path's next segment: `Account[GOLD]/Symbol[`. */
function nextSegments(current: string, keys: readonly string[]): string[] {
  // A `]` ends a value only before a `/` (decision D-VAL 3).
  const end = current.lastIndexOf("]/");
  const above = end < 0 ? "" : current.slice(0, end + 2);
  const used = above.split("]/").map((segment) => segment.split("[")[0]);
  return keys.filter((key) => !used.includes(key)).map((key) => `${above}${key}[`);
}
