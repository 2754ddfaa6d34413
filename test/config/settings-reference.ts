import { REMOVED_KEYS, SETTING_KEYS, type SettingKey, settingInfo } from "../../src/config/settings.ts";
import { code, table } from "../docs/markdown-table.ts";

const INTRODUCTION = `# Settings

<!-- Generated from src/config/settings. To change it, edit the tables there and run: UPDATE_DOCS=1 npx vitest run test/config -->

The gateway reads its settings at the start. An empty \`application.yaml\` means all defaults. Mistakes stop the start; all are reported,
each with its place. \`trading-admin check-config\` takes the arguments of \`serve\` and starts nothing: it prints every setting in force
(secrets masked) with its source, how callers authenticate, and why the API would be closed. Its exit code is 1 when the gateway
would not start, or without a part of its access files.

## Sources

The first of these that gives a setting decides, as in Spring. A list is replaced as a whole.

1. Arguments: \`trading-admin serve --config application.yaml --server.port=0\`. Other users of the machine can see them, so give no
   secret there.
2. Environment variables: the key in upper case with underscores for dots and without dashes, \`SERVER_PORT\`,
   \`SPRING_SECURITY_OAUTH2_RESOURCESERVER_JWT_ISSUERURI\`; an underscore for a dash (\`..._ISSUER_URI\`) and other cases count too.
   Elements of a list: \`..._JWT_AUDIENCES_0\`, \`..._JWT_AUDIENCES_1\`. A name that stands for \`*\` is read in lower case, with dots
   for underscores. Other variables are left alone.
3. Config trees, the last one first: folders such as mounted secrets, whose files are settings. \`spring.config.import\` names them:
   \`configtree:/run/secrets/\`, \`optional:configtree:/run/secrets/\` if the folder may be missing, \`configtree:/run/secrets/*/\` for each
   folder in it. A file's path with dots for slashes is the key (\`admin.engine.token\`, \`admin/engine/token\`), its content the value,
   without the line end of a single line; at most 64 KB, UTF-8. Names that begin with \`..\` are skipped. Other files are left alone, but
   placeholders can name them. An argument or variable \`SPRING_CONFIG_IMPORT\` adds its trees before those of the file.
4. \`application.yaml\`.

## Placeholders

\`\${name}\` in a value is replaced by the property of that name, in whatever spelling and from the first source that has it; for
environment variables also by the name itself. \`\${name:default}\` has a value for when there is none; without it that is an error.
Values and defaults may hold placeholders. \`\\\${\` is \`\${\`. Files of a config tree are taken as they are. What a placeholder brings in from a
secret is not shown in messages and by \`check-config\`.

    admin:
      engine:
        url: wss://\${ENGINE_HOST:localhost}:8989
        token: \${engine-token}   # the file engine-token of a config tree, or the variable ENGINE_TOKEN

## File format

- YAML 1.2, one document, a map at the top. Anchors and aliases work (at most 100 uses); merge keys (\`<<\`) and tags do not.
- Nested maps and dotted keys are the same: \`server.port: 8988\` is \`server: { port: 8988 }\`.
- Within each part of a key, case, dashes and underscores do not count: \`max-body-size\`, \`maxBodySize\` and \`MAX_BODY_SIZE\` are one
  key. A key that a source gives twice is an error.
- An unknown key is an error, except below \`spring.security.oauth2.client\`, which belongs to the monitor's own login.
- \`*\` in a key stands for a name of your own, in which every character counts: \`authorityMapping: { risk-desk: CHANGE_RISK_LIMITS }\`.
  A name may hold dots, and may stand in brackets: \`"[my.role]"\`.
- A value that is left out, or \`null\`, is not set. Quotes make no difference. Words such as \`true\` or \`SIMPLE\` may be in any case.
- Blanks at the ends of a value are cut, but those of passwords and tokens belong to them; only their line ends are cut.
- A list is a YAML list or one text with commas: \`[Desk, Book]\` is \`"Desk, Book"\`. Elements can be given one by one, from 0 and
  without a gap: \`projection-keys[0]: Desk\`.
- A relative path is relative to the folder of \`application.yaml\`, whatever source gives it.

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
