/** A Markdown table; cells go in as they are. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const divider = header.map(() => "---");
  return [header, divider, ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

export function code(text: string): string {
  return `\`${text}\``;
}
