import type { z } from "zod";
import { MAX_FAULTS, OTHERS } from "../validation/faults.ts";
import { isObject } from "../values/basics.ts";
import { keysOf, type ProjectionKeys } from "../values/projection.ts";

/** Says how the keys of a command's conditions differ from those of the projection (decision D-VAL 4). */
function conditionIssues(command: unknown, keys: readonly string[], known: ProjectionKeys): string[] {
  const conditions = isObject(command) ? command.conditions : undefined;
  if (!isObject(conditions)) return [];
  const excess = Object.keys(conditions).filter((key) => !keys.includes(key));
  const missing = keys.filter((key) => !Object.hasOwn(conditions, key));
  return [
    ...excess.map((key) =>
      known.has(key) ? `projection key "${key}" is not part of the projection` : `unknown projection key "${key}"`,
    ),
    ...missing.map((key) => `projection key "${key}" is missing`),
  ];
}

/** Checks the keys of `conditions` in a request that may be faulty elsewhere; commands beyond the listed faults only by number. */
export function reportConditions(value: unknown, known: ProjectionKeys, context: z.core.$RefinementCtx): void {
  const { projection, commands } = isObject(value) ? value : {};
  const keys = knownKeysOf(projection, known);
  if (!keys || !Array.isArray(commands)) return;
  let faulty = 0;
  for (const [index, command] of commands.entries()) {
    const messages = conditionIssues(command, keys, known);
    if (messages.length === 0) continue;
    faulty += 1;
    if (faulty > MAX_FAULTS) continue;
    for (const message of messages) {
      context.addIssue({ code: "custom", message, path: ["commands", index, "conditions"] });
    }
  }
  const others = faulty - MAX_FAULTS;
  if (others > 0) {
    const message = `${others} more commands do not have the projection keys of the update in their conditions`;
    context.addIssue({ code: "custom", message, path: ["commands"], params: { [OTHERS]: others } });
  }
}

/** The keys of a projection; undefined where something else is wrong with it. */
function knownKeysOf(projection: unknown, known: ProjectionKeys): string[] | undefined {
  if (typeof projection !== "string") return undefined;
  const keys = keysOf(projection);
  return keys.length <= known.size && keys.every((key) => known.has(key)) ? keys : undefined;
}
