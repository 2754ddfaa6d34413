/** Texts of values that stand in several places, by the name that each is given. */
export type Shared = ReadonlyMap<string, string>;

/** Names for what stands in several places; of two values with one name, the second has a number. */
export function shared(named: readonly (readonly [name: string, text: string])[]): Shared {
  const names = new Map<string, string>();
  for (const [index, [name, text]] of named.entries()) {
    const isRepeated = named.some(([, other], at) => at > index && other === text);
    if (!isRepeated || names.has(text)) continue;
    const namesakes = [...names.values()].filter((other) => other.replace(/_\d+$/, "") === name).length;
    names.set(text, namesakes === 0 ? name : `${name}_${namesakes + 1}`);
  }
  return new Map([...names].map(([text, name]) => [name, text]));
}

/** `listFixSessions` -> `LIST_FIX_SESSIONS`. */
export function upperCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}

/** Constants of a type for shared values. */
export function declarations(type: string, values: Shared): string {
  return [...values].map(([name, text]) => `const ${name}: ${type} = ${text};\n`).join("\n");
}

/** The text of a table in which what stands in several places is named. */
export function withNames(table: unknown, values: Shared): string {
  return [...values].reduce((text, [name, value]) => text.replaceAll(value, name), JSON.stringify(table));
}
