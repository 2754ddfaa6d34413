/** Words that are typed for a field, where its own name is not what people say. */
const WORDS: Readonly<Record<string, string>> = { projectionPath: "path" };

/** The name of the argument that stands for a field. */
export function argumentNameOf(field: string): string {
  return WORDS[field] ?? field;
}

/** The name under which an option's value is found. */
export function optionKeyOf(field: string): string {
  return field.replace(/PnL/g, "Pnl");
}
