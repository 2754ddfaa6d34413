import { mistakesIn } from "../../core/values/near-names.ts";
import { UsageError } from "../exit-codes.ts";
import type { CommandDefinition } from "./definition.ts";

/** How many commands a message names: in all, and of those that others call so. */
const MAX_MEANT = 4;
const MAX_OF_GROUP = 2;

const STOP = ["halt", "disable"];
const START = ["resume", "enable"];
const LIST = ["list", "gateways", "sessions", "table", "status"];
const USER = ["hash-password", "permissions"];
const SHOW = ["show", "gateway", "session", ...LIST];

/** Other words for a command, typed above all in a hurry: the commands that may be intended, if the group has them. */
const OTHER_WORDS: Readonly<Record<string, readonly string[]>> = {
  stop: STOP,
  kill: STOP,
  pause: STOP,
  freeze: STOP,
  block: STOP,
  start: START,
  unhalt: START,
  unpause: START,
  unfreeze: START,
  unblock: START,
  list: LIST,
  ls: LIST,
  all: LIST,
  show: SHOW,
  get: SHOW,
  status: SHOW,
  info: SHOW,
  logout: ["disconnect"],
  limits: ["risk", "table"],
  orders: ["positions"],
  user: USER,
  users: USER,
  adduser: USER,
  passwd: USER,
  version: ["--version"],
};

/** Error for words after `path` that name no command, with suggestions. */
export function unknownCommand(
  table: readonly CommandDefinition[],
  path: readonly string[],
  rest: readonly string[],
): UsageError {
  const typed = [...path, ...rest.slice(0, 1)].join(" ");
  const meant = commandsMeant(table, path, rest).map((names) => JSON.stringify(names.join(" ")));
  const help = `${["trading-admin", ...path].join(" ")} --help lists the commands`;
  const hint = meant.length === 0 ? help : `did you mean ${meant.join(" or ")}?`;
  return new UsageError(`unknown command ${JSON.stringify(typed)}, nothing was done; ${hint}`);
}

/** The commands whose last word is nearest to what was typed: those of the group first, and those with other words of the line. */
function commandsMeant(
  table: readonly CommandDefinition[],
  group: readonly string[],
  [word = "", ...others]: readonly string[],
): string[][] {
  const known = Object.hasOwn(OTHER_WORDS, word) ? (OTHER_WORDS[word] ?? []) : [];
  const own = [...commandsOf(table, group).map(({ name }) => name), ...(group.length === 0 ? ["--version"] : [])];
  const meant = known.filter((name) => own.includes(name));
  if (meant.length > 0) return meant.slice(0, MAX_OF_GROUP).map((name) => [...group, name]);
  const ranked = pathsOf(table).flatMap((path) => {
    const wrong = mistakesIn(word, path.at(-1) ?? "");
    if (wrong === undefined) return [];
    const isNear = path.slice(0, -1).join(" ") === group.join(" ") || path.some((name) => others.includes(name));
    return [{ path, rank: wrong + (isNear ? 0 : 0.5) }];
  });
  const best = Math.min(...ranked.map(({ rank }) => rank));
  return ranked.flatMap(({ path, rank }) => (rank === best ? [path] : [])).slice(0, MAX_MEANT);
}

/** The commands of a group, of the top for no words. */
function commandsOf(table: readonly CommandDefinition[], group: readonly string[]): readonly CommandDefinition[] {
  return group.reduce<readonly CommandDefinition[]>(
    (commands, word) => commands.find(({ name }) => name === word)?.commands ?? [],
    table,
  );
}

/** Every command by the words that lead to it: `["trading", "status"]`. */
function pathsOf(table: readonly CommandDefinition[], above: readonly string[] = []): string[][] {
  return table.flatMap(({ name, commands = [] }) => {
    const path = [...above, name];
    return [path, ...pathsOf(commands, path)];
  });
}
