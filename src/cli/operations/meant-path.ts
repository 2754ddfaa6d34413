import type { AdminClient } from "../../client/client.ts";
import { describedEngine, offeredProjections, projectionsNamedIn } from "../../client/engine-offer.ts";
import { nearest } from "../../core/values/near-names.ts";
import { positionFilter, STANDARD_PROJECTION_KEYS } from "../../core/values/projection.ts";
import { connect } from "../connection/connect.ts";
import { UsageError } from "../exit-codes.ts";
import type { Options } from "../framework/definition.ts";

const FORM = "a path is written Key[value], such as Account[GOLD]";

/** What people type for the whole system, whose path is empty. */
const EVERYTHING = /^(?:all|any|every(?:thing)?|system(?:-?wide)?|root|global|\*|\/)$/i;

/** Suggestion for a text that is not a path: `; did you mean "Account[GOLD]"?`, or how paths are written. */
export async function meantPath(client: AdminClient, typed: string): Promise<string> {
  if (EVERYTHING.test(typed)) return "; for all trading, leave the path out";
  const spelt = withKnownKeys(typed) ?? withBrackets(typed);
  const meant = spelt === undefined ? await nodesNamed(client, typed) : [spelt];
  if (meant.length === 0) return `; ${FORM}`;
  return `; did you mean ${meant.map((path) => JSON.stringify(path)).join(" or ")}?`;
}

/** Suggestion for mistyped keys of a projection: `; did you mean "Account/Symbol"?`, or nothing. */
export function meantProjection(typed: string): string {
  const keys = typed.split("/").map(knownKey);
  return keys.includes(undefined) ? "" : `; did you mean ${JSON.stringify(keys.join("/"))}?`;
}

/** The path with each key as it is spelt; undefined where one is like none, and for what has no keys. */
function withKnownKeys(typed: string): string | undefined {
  const found = [...typed.matchAll(/(?:^|\/)([^/[\]]+)\[/g)].map(([, key = ""]) => knownKey(key));
  if (found.length === 0 || found.includes(undefined)) return undefined;
  let at = 0;
  const spelt = typed.replace(/(^|\/)[^/[\]]+\[/g, (_, slash: string) => `${slash}${found[at++]}[`);
  const closed = spelt.endsWith("]") ? spelt : `${spelt}]`;
  return closed === typed ? undefined : closed;
}

/** `Account=GOLD`, `Account:GOLD` and `Account/GOLD` with brackets. */
function withBrackets(typed: string): string | undefined {
  const [, key = "", value] = /^([A-Za-z]+)[=:/.(]([^[\])]+)\)?$/.exec(typed) ?? [];
  const known = knownKey(key);
  return known === undefined || value === undefined ? undefined : `${known}[${value}]`;
}

function knownKey(typed: string): string | undefined {
  return nearest(typed, STANDARD_PROJECTION_KEYS);
}

/** Projections by which the engine lists positions: those of its description, or else those that a refusal of it names. */
async function positionProjections(client: AdminClient): Promise<readonly string[]> {
  const described = (await describedEngine(client))?.positionProjections;
  return described ?? projectionsNamedIn((await offeredProjections(client)) ?? "");
}

/** Nodes of this name that have positions, by whatever keys the engine says that it lists them. */
async function nodesNamed(client: AdminClient, name: string): Promise<string[]> {
  const projections = await positionProjections(client);
  // The first projection that has a key is the usual one.
  const pairs = projections.flatMap((projection) => projection.split("/").map((key) => [key, projection] as const));
  const keys = new Map(pairs.toReversed());
  const names = new Set([name, name.toUpperCase()]);
  const lookups = [...names].flatMap((value) => [...keys].map(([key, projection]) => ({ key, projection, value })));
  const found = await Promise.all(
    lookups.map(async ({ key, projection, value }) => {
      const positions = await client.listPositions({ projection, [positionFilter(key)]: value });
      const path = `${key}[${value}]`;
      return positions.some((position) => `/${position.projection}/`.includes(`/${path}/`)) ? [path] : [];
    }),
  );
  return [...new Set(found.flat())];
}

/** Error for a list of positions without a projection, with the engine's projections. */
export async function missingProjection(options: Options): Promise<UsageError> {
  const example = "missing: <projection>, such as Account/Symbol";
  try {
    const { client } = await connect(options);
    const described = (await describedEngine(client))?.positionProjections;
    if (described) return new UsageError(`${example}; the engine has: ${described.join(", ") || "none"}`);
    const offered = await offeredProjections(client);
    return new UsageError(offered === undefined ? example : `${example}; the engine says: ${offered}`);
  } catch (error) {
    if (error instanceof UsageError) return new UsageError(example);
    throw error;
  }
}
