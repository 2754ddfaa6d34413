import { type CommandDefinition, options } from "../command/definition.ts";
import { CONNECTION_OPTIONS } from "../connection/options.ts";
import { OUTPUT_OPTION } from "../output/format.ts";
import { CHANGE_OPTIONS } from "./operation-command.ts";

/** Finding out how an installation is, and proving that it can be stopped. */
export const DIAGNOSTICS: readonly CommandDefinition[] = [
  {
    name: "top",
    summary: "Trading state, services, sessions, positions and the last failures, as a full screen",
    description:
      "Reads again and again until q is pressed; what was read before stays on the screen while there is no response. Tab goes to the " +
      "next list, s and r sort it, / filters it, arrows and PgUp PgDn page it. h and the typed word halt stop all trading. It needs " +
      "a terminal of at least 80x24. The screen is drawn with plain ANSI sequences: lines of text that are written anew need no library.",
    options: [
      ...options({
        "--positions <projection>": "projection of the positions; Account/Symbol unless given",
        "--interval <duration>": "time between two readings, at least 200ms; 2s unless given",
      }),
      ...CONNECTION_OPTIONS,
    ],
    examples: { "trading-admin top --profile prod --positions Exchange/Symbol": "watches an installation" },
    load: () => import("../top/top.ts"),
  },
  {
    name: "doctor",
    summary:
      "What is between this command line and the engine: address, TLS, clock, credentials, engine link, versions",
    description:
      "Looks at each address of the installation and says what is wrong and what to do about it. Sends no command. Exit code 1 when " +
      "a check failed. What a user of HTTP Basic may do cannot be found out without sending a command; with a token, what it says of " +
      "itself is shown.",
    options: [OUTPUT_OPTION, ...CONNECTION_OPTIONS],
    examples: { "trading-admin doctor --profile prod": "a line for each check" },
    load: () => import("../doctor/doctor.ts"),
  },
  {
    name: "drill",
    summary: "Halt a node, prove it, resume it, prove that, and print the evidence",
    description:
      "Trading stops at the node for as long as the engine takes. Asks first; sends nothing where trading is halted already, for it " +
      "would be resumed. When the halt is not seen, nothing is resumed.",
    arguments: { "[path]": "Projection path of the node; system-wide unless given." },
    options: [
      ...options({
        "--reason <text>": "reason in the audit log; Drill unless given",
        "--wait <duration>": "how long each of the two is waited for; 10s unless given",
      }),
      ...CHANGE_OPTIONS,
      {
        flags: "-o, --output <format>",
        description: "format of the evidence; markdown unless given",
        choices: ["markdown", "json"],
      },
      ...CONNECTION_OPTIONS,
    ],
    examples: {
      "trading-admin drill 'Account[TEST]' > drill.md": "asks, and keeps times and request ids as a page",
      "trading-admin drill 'Account[TEST]' --yes -o json": "for scripts: does not ask",
    },
    load: () => import("../drill.ts"),
  },
];
