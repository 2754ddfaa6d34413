import type { AdminClient } from "../../client/client.ts";
import { AdminClientError } from "../../client/errors.ts";
import { positionFilter, printProjection, SYMBOL_KEYS } from "../../core/values/projection.ts";
import { warn } from "../terminal/say.ts";
import type { CommandResult } from "./deed.ts";
import { segmentsOf } from "./path.ts";

/** Says after a halt that the engine knows nothing at its path: a name that is mistyped halts nothing that trades. */
export async function adviseAfterStop(
  client: AdminClient,
  { operation, input, outcome }: CommandResult,
): Promise<void> {
  const { projectionPath } = input;
  const isHalt = operation === "haltTrading" && (outcome === "done" || outcome === "not-proven");
  if (!isHalt || typeof projectionPath !== "string" || projectionPath === "") return;
  await warnIfUnknown(client, projectionPath, "nothing else was halted");
}

/** Warns of a path at which the engine shows nothing: it accepts any, and a name that is mistyped looks like one that is not halted. */
export async function warnIfUnknown(client: AdminClient, path: string, besides?: string): Promise<void> {
  if ((await isKnown(client, path)) !== false) return;
  const advice = ["check how it is spelt", ...(besides === undefined ? [] : [besides])].join("; ");
  warn(`the engine shows no position, limit or open order at ${path}: ${advice}`);
}

/** Whether the engine has anything at a path; undefined where it cannot be asked. */
async function isKnown(client: AdminClient, projectionPath: string): Promise<boolean | undefined> {
  const keys = segmentsOf(projectionPath).map(({ key }) => key);
  const findings = await Promise.all([
    ...positionProjections(keys).map((projection) => hasPosition(client, projection, projectionPath)),
    hasLimit(client, keys, projectionPath),
  ]);
  const certain = findings.filter((found) => found !== undefined);
  return certain.length === 0 ? undefined : certain.includes(true);
}

/** Projections that may be configured and hold the keys of a path, those with the fewest further keys first. */
function positionProjections(keys: readonly string[]): string[] {
  const others = ["Source", "Account", "Exchange"].filter((key) => !keys.includes(key));
  const bases = [keys, ...others.map((key) => [key, ...keys])];
  const complete = bases.flatMap((base) =>
    base.some((key) => SYMBOL_KEYS.some((known) => known === key)) ? [base] : [[...base, "Symbol"]],
  );
  return complete.map(printProjection);
}

async function hasPosition(client: AdminClient, projection: string, path: string): Promise<boolean | undefined> {
  const filters = Object.fromEntries(segmentsOf(path).map(({ key, value }) => [positionFilter(key), value]));
  return known(async () =>
    (await client.listPositions({ projection, ...filters })).some((position) => isAt(position.projection, path)),
  );
}

async function hasLimit(client: AdminClient, keys: readonly string[], path: string): Promise<boolean | undefined> {
  return known(async () => {
    const { rows } = await client.getRiskTable({ projection: printProjection(keys) });
    const wanted = segmentsOf(path);
    return rows.some(({ conditions }) => wanted.every(({ key, value }) => conditions[key] === value));
  });
}

/** Whether the node of a position is at a path or below, whatever the order of its keys. */
function isAt(node: string, path: string): boolean {
  const own = segmentsOf(node);
  return segmentsOf(path).every(({ key, value }) =>
    own.some((segment) => segment.key === key && segment.value === value),
  );
}

/** Undefined where the engine refuses the question: it has no such projection, or no time for it. */
async function known(ask: () => Promise<boolean>): Promise<boolean | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof AdminClientError) return undefined;
    throw error;
  }
}
