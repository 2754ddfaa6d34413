import { SETTING_KEYS, type SettingKey, settingInfo } from "../../config/settings.ts";
import { wrapped } from "../output/columns.ts";

const WIDTH = 110;

const HEAD = `# Configuration of a gateway. Every setting is here with its meaning; those that begin with # have their defaults.
# "trading-admin check-config --config application.yaml" checks it and says where each value comes from.
# Environment variables and arguments go before this file: SERVER_PORT=9000, --server.port=9000.
`;

/** An `application.yaml` with every setting: those of `chosen` with these values, all others commented out with their defaults. */
export function configurationTemplate(chosen: Readonly<Partial<Record<SettingKey, string>>>): string {
  return [HEAD, ...SETTING_KEYS.map((key) => describe(key, chosen[key]))].join("\n");
}

function describe(key: SettingKey, chosen: string | undefined): string {
  const { meaning, values, fallback } = settingInfo(key);
  const comment = wrapped(`${meaning} Values: ${values}.`, WIDTH).map((line) => `# ${line}\n`);
  const value = chosen ?? fallback;
  const line = `${key.replace("*", "NAME")}:${value === undefined ? "" : ` ${scalar(value)}`}`;
  return `${comment.join("")}${chosen === undefined ? "#" : ""}${line}\n`;
}

/** A text as YAML takes it for a text; plain where that is safe. */
function scalar(text: string): string {
  return /^[A-Za-z0-9./][\w./-]*$/.test(text) ? text : JSON.stringify(text);
}
