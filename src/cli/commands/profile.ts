import type { CommandDefinition } from "../command/definition.ts";
import { OUTPUT_OPTION } from "../output/format.ts";

const NAME = { name: "name", description: "Name of the profile." };

/** Profiles: named installations with their addresses and credentials. */
export const PROFILE: CommandDefinition = {
  name: "profile",
  summary: "Installations that this command line knows by name",
  commands: [
    {
      name: "list",
      summary: "All profiles, and which one is in use",
      options: [OUTPUT_OPTION],
      examples: [{ line: "trading-admin profile list", does: "names, addresses, users" }],
      load: async () => ({ run: (await import("../profiles.ts")).listProfiles }),
    },
    {
      name: "use",
      summary: "Use a profile from now on",
      arguments: [{ ...NAME, required: true }],
      examples: [{ line: "trading-admin profile use prod", does: "writes current: prod into the file of profiles" }],
      load: async () => ({ run: (await import("../profiles.ts")).useProfile }),
    },
    {
      name: "show",
      summary: "What a profile says; the one in use unless named",
      arguments: [NAME],
      options: [OUTPUT_OPTION],
      examples: [{ line: "trading-admin profile show prod", does: "everything but secrets, which are not in it" }],
      load: async () => ({ run: (await import("../profiles.ts")).showProfile }),
    },
  ],
};
