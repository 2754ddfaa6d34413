import { REMOVED_KEYS, SETTING_KEYS, type SettingKey, settingInfo } from "../../src/config/settings.ts";
import { code, table } from "../docs/markdown-table.ts";

const RESTRICTING = SETTING_KEYS.filter((key) => settingInfo(key).restricts)
  .map(code)
  .join(", ");

const INTRODUCTION = `# Settings

<!-- Generated from src/config/settings. To change it, edit the tables there and run: UPDATE_DOCS=1 npx vitest run test/config -->

The gateway reads its settings at startup. An empty \`application.yaml\` means all defaults. If there are mistakes, the gateway reports all of
them with their places and does not start. \`trading-admin check-config\` takes the arguments of \`serve\` and starts nothing: it prints the
effective value of every setting (secrets masked) with its source, how callers authenticate, and why the API would be closed. Its exit code is 1
if the gateway would not start, or would start without a part of its access files.

## Sources

As in Spring, the first of these sources that has a setting decides. A list is replaced as a whole.

1. Arguments: \`trading-admin serve --config application.yaml --server.port=0\`. Other users of the machine can see them, so never put
   secrets there.
2. Environment variables: the key in upper case with underscores for dots and without dashes: \`SERVER_PORT\`,
   \`SPRING_SECURITY_OAUTH2_RESOURCESERVER_JWT_ISSUERURI\`. An underscore for a dash (\`..._ISSUER_URI\`) and lower case work too.
   Elements of a list: \`..._JWT_AUDIENCES_0\`, \`..._JWT_AUDIENCES_1\`. A name that stands for \`*\` is read in lower case, with dots
   for underscores. Other variables are ignored.
3. Config trees, the last one first: folders, such as mounted secrets, whose files are settings. \`spring.config.import\` names them:
   \`configtree:/run/secrets/\`, \`optional:configtree:/run/secrets/\` if the folder may be missing, \`configtree:/run/secrets/*/\` for each
   folder in it. A file's path with dots for slashes is the key (\`admin.engine.token\`, \`admin/engine/token\`), its content the value,
   without the line end of a single line; at most 64 KB, UTF-8. Names that begin with \`..\` are skipped. Other files are ignored, but
   placeholders can name them. The argument \`--spring.config.import\` or the variable \`SPRING_CONFIG_IMPORT\` adds its trees before those of
   the file.
4. \`application.yaml\`.

## Placeholders

\`\${name}\` in a value is replaced by the property of that name, in any spelling and from the first source that has it; an
environment variable may also be named as it is. \`\${name:default}\` gives a default; without one, a missing property is an error.
Values and defaults may hold placeholders. Write \`\\\${\` for \`\${\`. Files of a config tree are taken as they are. Values that a placeholder
takes from a secret are not shown in messages or by \`check-config\`.

    admin:
      engine:
        url: wss://\${ENGINE_HOST:localhost}:8989
        token: \${engine-token}   # the file engine-token of a config tree, or the variable ENGINE_TOKEN

## File format

- YAML 1.2, one document, a map at the top. Anchors and aliases work (at most 100 uses); merge keys (\`<<\`) and tags do not.
- Nested maps and dotted keys are the same: \`server.port: 8988\` is \`server: { port: 8988 }\`.
- Within each part of a key, case, dashes and underscores do not count: \`max-body-size\`, \`maxBodySize\` and \`MAX_BODY_SIZE\` are one
  key. A key that occurs twice in a source is an error.
- An unknown key is an error, except below \`spring.security.oauth2.client\`, which belongs to the monitor's own login.
- \`*\` in a key stands for a name that you choose, in which every character counts: \`authorityMapping: { risk-desk: CHANGE_RISK_LIMITS }\`.
  A name may contain dots, and may be in brackets: \`"[my.role]"\`.
- A value that is left out, or \`null\`, is not set. Quotes make no difference. Words such as \`true\` or \`SIMPLE\` may be in any case.
- Settings that restrict, and their sections, need a value where they stand (not an empty text), as with all lines commented out they would restrict nobody: ${RESTRICTING}.
- Blanks at the ends of a value are removed; of passwords and tokens only line ends are.
- A list is a YAML list or one text with commas: \`[Desk, Book]\` is \`"Desk, Book"\`. Elements can be given one by one, from 0 and
  without a gap: \`projection-keys[0]: Desk\`.
- A relative path is relative to the folder of \`application.yaml\`, whichever source it is from.

## Sizes and durations

- A size is a number of bytes, or a whole number with \`B\`, \`KB\` or \`MB\`: \`1KB\` is 1024 bytes.
- A duration is a number of milliseconds, a whole number with \`ms\`, \`s\`, \`m\` (minutes) or \`h\`, or ISO 8601 in hours, minutes and
  seconds: \`10000\`, \`10s\` and \`PT10S\` are equal.
`;

/** The text of `docs/reference/settings.md`. */
export function configurationReference(): string {
  const settings = table(["Key", "Values", "Default", "Meaning"], SETTING_KEYS.map(settingRow));
  const removed = table(
    ["Key", "Replacement"],
    Object.entries(REMOVED_KEYS).map(([key, replacement]) => [code(key), code(replacement)]),
  );
  return [
    INTRODUCTION,
    `## Settings\n\n${settings}\n`,
    `## Removed settings\n\nThese keys stop the start; the message names the replacement.\n\n${removed}\n`,
  ].join("\n");
}

function settingRow(key: SettingKey): string[] {
  const { values, fallback, meaning } = settingInfo(key);
  return [code(key), values, fallback ? code(fallback) : "none", meaning];
}
