import { documentAt } from "../../files/package-files.ts";
import { profilePath, readProfiles } from "./profile.ts";
import type { ConnectionSettings } from "./settings.ts";

/** Whether nothing says which gateway, nor who calls. */
export function isNothingGiven({ isAddressed, profile, credentials }: ConnectionSettings): boolean {
  return !isAddressed && profile === undefined && Object.keys(credentials).length === 0;
}

/** What to do then: whoever has profiles has not chosen one; everybody else may be in the second shell of the demo. */
export async function howToGive(environment: NodeJS.ProcessEnv = process.env): Promise<string> {
  const path = profilePath(environment);
  const names = Object.keys((await readProfiles(path))?.profiles ?? {});
  const demo = "paste the two lines for another shell that npm start printed";
  const ways =
    names.length > 0
      ? `use --profile NAME, or trading-admin profile use NAME (known: ${names.join(", ")}); for the demo, ${demo}`
      : `for the demo, ${demo}; otherwise use --url with --user and --password-file, or write a profile (${path}, ${documentAt("operate/profiles")})`;
  return `no gateway and no user are given: ${ways}`;
}
