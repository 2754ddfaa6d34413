import { CONNECTION_OPTIONS } from "../connection/options.ts";
import type { CommandDefinition } from "../framework/definition.ts";
import { OUTPUT_OPTION } from "../output/format.ts";
import { AUDIT } from "./audit.ts";
import { DIAGNOSTICS } from "./diagnostics.ts";
import { FIX } from "./fix.ts";
import { GATEWAY } from "./gateway.ts";
import { POSITIONS } from "./positions.ts";
import { RISK } from "./risk.ts";
import { SERVICES, TRADING } from "./trading.ts";

/** Profiles: named installations with their addresses and credentials. */
const PROFILE: CommandDefinition = {
  name: "profile",
  summary: "Named installations: addresses and credentials",
  description: "Profiles are in ~/.config/trading-admin/config.yaml, or in the file that TRADING_ADMIN_CONFIG names.",
  commands: [
    {
      name: "list",
      summary: "List the profiles, and which one is in use",
      options: [OUTPUT_OPTION],
      examples: { "trading-admin profile list": "names, addresses, users" },
      load: async () => ({ run: (await import("../profiles.ts")).listProfiles }),
    },
    {
      name: "use",
      summary: "Make a profile the one in use",
      arguments: { "<name>": "Name of the profile." },
      examples: { "trading-admin profile use prod": "writes current: prod into the file of profiles" },
      load: async () => ({ run: (await import("../profiles.ts")).useProfile }),
    },
    {
      name: "show",
      summary: "Show a profile; the one in use unless named",
      arguments: { "[name]": "Name of the profile." },
      options: [OUTPUT_OPTION],
      examples: { "trading-admin profile show prod": "everything but secrets" },
      load: async () => ({ run: (await import("../profiles.ts")).showProfile }),
    },
  ],
};

/** Any operation by its name, and the pages of a gateway. */
const SCRIPTS: readonly CommandDefinition[] = [
  {
    name: "call",
    summary: "Call an operation by name and print its output as JSON",
    description:
      "Calls an operation and prints its output as JSON. Exit code 3: a command may have been applied; 1: nothing was changed; 7: an empty 200 without " +
      "X-Admin-Outcome. Applied although the status is an error: 0, and standard error says so.",
    arguments: {
      "<operation>": "such as haltTrading; operationId of the OpenAPI document",
      "[input]": "its input as a JSON object, {} unless given; - reads it from standard input",
    },
    options: CONNECTION_OPTIONS,
    examples: { 'trading-admin call haltTrading \'{"reason":"drill"}\'': "halts all trading" },
    load: () => import("../call.ts"),
  },
  page("docs", "Open the interactive page of a gateway in your browser, with your credentials"),
  page("console", "Open the console of a gateway in your browser, with your credentials"),
];

function page(name: "docs" | "console", summary: string): CommandDefinition {
  return {
    name,
    summary,
    options: CONNECTION_OPTIONS,
    examples: { [`trading-admin ${name} --profile prod`]: "prints an address that works once, for your browser" },
    load: () => import("../docs/docs.ts"),
  };
}

const shell = (name: string, line: string): CommandDefinition => ({
  name,
  summary: `Print the script for ${name}`,
  examples: { [line]: "completes commands, options, and the names of gateways, sessions and services" },
  load: () => import("../completion/scripts.ts"),
});

const COMPLETION: CommandDefinition = {
  name: "completion",
  summary: "Completion for bash, zsh and fish",
  description:
    "Prints a script for the shell. Names of gateways, sessions and services come from the live installation, by the profile, " +
    "variables and options of the command line; it never asks for a password.",
  commands: [
    shell("bash", 'eval "$(trading-admin completion bash)"'),
    shell("zsh", "source <(trading-admin completion zsh)"),
    shell("fish", "trading-admin completion fish | source"),
    {
      name: "candidates",
      summary: "Complete the last word of a command line, for the scripts",
      description:
        "Where a name of the live installation may stand, TAB reads it as any read does: it runs the profile's password-command and sends the " +
        "credentials to its gateway. It never asks for a password. A line without a word stands for the shell's files.",
      arguments: { "[words...]": "The words after trading-admin, after --." },
      examples: { "trading-admin completion candidates -- fix ''": "word and description, a line for each" },
      load: () => import("../completion/candidates.ts"),
    },
  ],
};

/** Commands by what they are for, in the order in which help shows them. */
const GROUPS: Readonly<Record<string, readonly CommandDefinition[]>> = {
  "Stop, resume and change": [...TRADING, RISK, POSITIONS, SERVICES, FIX],
  "Find out": [...DIAGNOSTICS, AUDIT],
  "Run a gateway": GATEWAY,
  "This command line": [PROFILE, ...SCRIPTS, COMPLETION],
};

export const COMMANDS: readonly CommandDefinition[] = Object.entries(GROUPS).flatMap(([group, commands]) =>
  commands.map((command) => ({ ...command, group })),
);
