import type { Invocation } from "../framework/definition.ts";

/** Operations with the commands that are typed for them, the shortest last: `halt` for `haltTrading`, `fix disable` for `disableFixSession`. */
export function typedCommands(commands: Invocation["table"], above = ""): [operation: string, words: string][] {
  const found = commands.flatMap(({ name, operation, commands: below = [] }): [string, string][] => {
    const words = `${above}${name}`;
    return [
      ...(operation === undefined ? [] : [[operation, words] as [string, string]]),
      ...typedCommands(below, `${words} `),
    ];
  });
  return found.toSorted(([, a], [, b]) => b.length - a.length);
}

/** Operations by the commands that are typed for them: `halt` and `trading halt` are `haltTrading`. */
export function operationsByWords(commands: Invocation["table"]): ReadonlyMap<string, string> {
  return new Map(typedCommands(commands).map(([operation, words]) => [words, operation]));
}
