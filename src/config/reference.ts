import { REMOVED_KEYS, SETTING_KEYS, type SettingKey, settingInfo } from "./settings.ts";

const INTRODUCTION = `# Configuration

<!-- Generated from src/config/settings.ts. To change it, edit the table there and run: UPDATE_DOCS=1 npx vitest run test/config -->

The gateway reads its settings from \`application.yaml\` when it starts; a change takes effect with the next start. An empty file
means all defaults. Any mistake stops the start, and all mistakes are reported in one go, each with its line.

## File format

- YAML 1.2, one document, a map at the top. Anchors and aliases work (at most 100 uses); merge keys (\`<<\`) and tags do not.
- Nested maps and dotted keys are the same: \`server.port: 8988\` is \`server: { port: 8988 }\`.
- Within each part of a key, case, dashes and underscores do not count: \`max-body-size\`, \`maxBodySize\` and \`MAX_BODY_SIZE\` are one
  key. A key that is given twice, in whatever spelling, is an error.
- An unknown key is an error.
- A value that is left out, or \`null\`, is not set. Quotes make no difference: \`port: "8988"\` is \`port: 8988\`. Words such as \`true\`
  or \`SIMPLE\` may be in any case.
- A list is a YAML list or one text with commas: \`[Desk, Book]\` is \`"Desk, Book"\`.
- A relative path is relative to the folder of \`application.yaml\`.

## Sizes and durations

- A size is a number of bytes, or a whole number with \`B\`, \`KB\` or \`MB\`. The units are powers of 1024, as in Spring: \`1KB\` is 1024
  bytes, \`1MB\` is 1048576.
- A duration is a number of milliseconds, a whole number with \`ms\`, \`s\`, \`m\` (minutes) or \`h\`, or ISO 8601 in hours, minutes and
  seconds: \`10000\`, \`10s\` and \`PT10S\` are equal.
`;

/** The text of `docs/configuration.md`. */
export function configurationReference(): string {
  const settings = table(["Key", "Values", "Default", "Meaning"], SETTING_KEYS.map(settingRow));
  const removed = table(
    ["Key", "Replacement"],
    Object.entries(REMOVED_KEYS).map(([key, replacement]) => [code(key), code(replacement)]),
  );
  return [
    INTRODUCTION,
    `## Settings\n\n${settings}`,
    `## Removed settings\n\nThese keys stop the start; the message names the replacement.\n\n${removed}`,
  ].join("\n");
}

function settingRow(key: SettingKey): string[] {
  const { values, fallback, meaning } = settingInfo(key);
  return [code(key), values, fallback ? code(fallback) : "none", meaning];
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const divider = header.map(() => "---");
  return [header, divider, ...rows].map((cells) => `| ${cells.join(" | ")} |\n`).join("");
}

function code(text: string): string {
  return `\`${text}\``;
}
