import { UsageError } from "../exit-codes.ts";
import { mistakesIn } from "../suggestion.ts";
import type { CommandDefinition } from "./definition.ts";

/** How many commands a message names. */
const MAX_MEANT = 4;

/** Words that others have for a command, above all in a hurry. */
const OTHER_WORDS: Readonly<Record<string, string>> = {
  stop: "halt",
  kill: "halt",
  pause: "halt",
  freeze: "halt",
  start: "resume",
  unhalt: "resume",
  unpause: "resume",
  unfreeze: "resume",
  limits: "risk",
  orders: "positions",
  version: "--version",
};

/** What is wrong with a line whose words after those of `path` name no command, with the commands that may be meant. */
export function unknownCommand(
  table: readonly CommandDefinition[],
  path: readonly string[],
  rest: readonly string[],
): UsageError {
  const typed = [...path, ...rest.slice(0, 1)].join(" ");
  const meant = commandsMeant(table, path, rest).map((names) => JSON.stringify(names.join(" ")));
  const help = `${["trading-admin", ...path].join(" ")} --help says which there are`;
  const hint = meant.length === 0 ? help : `did you mean ${meant.join(" or ")}?`;
  return new UsageError(`unknown command ${JSON.stringify(typed)}, nothing was done; ${hint}`);
}

/** The commands whose last word is nearest to what was typed: those of the group first, and those with other words of the line. */
function commandsMeant(
  table: readonly CommandDefinition[],
  group: readonly string[],
  [word = "", ...others]: readonly string[],
): string[][] {
  const known = Object.hasOwn(OTHER_WORDS, word) ? OTHER_WORDS[word] : undefined;
  if (group.length === 0 && known !== undefined) return [[known]];
  const ranked = pathsOf(table).flatMap((path) => {
    const wrong = mistakesIn(word, path.at(-1) ?? "");
    if (wrong === undefined) return [];
    const isNear = path.slice(0, -1).join(" ") === group.join(" ") || path.some((name) => others.includes(name));
    return [{ path, rank: wrong + (isNear ? 0 : 0.5) }];
  });
  const best = Math.min(...ranked.map(({ rank }) => rank));
  return ranked.flatMap(({ path, rank }) => (rank === best ? [path] : [])).slice(0, MAX_MEANT);
}

/** Every command by the words that lead to it: `["trading", "status"]`. */
function pathsOf(table: readonly CommandDefinition[], above: readonly string[] = []): string[][] {
  return table.flatMap(({ name, commands = [] }) => {
    const path = [...above, name];
    return [path, ...pathsOf(commands, path)];
  });
}
