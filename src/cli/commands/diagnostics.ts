import { BUS_TLS_OPTIONS, CONNECTION_OPTIONS } from "../connection/options.ts";
import { type CommandDefinition, options } from "../framework/definition.ts";
import { OUTPUT_OPTION } from "../output/format.ts";
import { CHANGE_OPTIONS } from "./operation-command.ts";

/** Finding out how an installation is, and proving that it can be stopped. */
export const DIAGNOSTICS: readonly CommandDefinition[] = [
  {
    name: "top",
    summary: "Full-screen view of trading state, services, sessions, positions and events",
    description:
      "Refreshes until q is pressed; while there is no response, the last values stay on the screen, with their age. The worst " +
      "sessions and services come first; events are all changes, halts and resumes included. Tab goes to the " +
      "next list, s and r sort it, / filters it, arrows and PgUp PgDn scroll it. h, then the typed word halt, halts all trading. Needs " +
      "a terminal of at least 80x24.",
    options: [
      ...options({
        "--positions <projection>": "projection of the positions; Account/Symbol unless given",
        "--interval <duration>": "time between two reads, at least 200ms; 2s unless given",
      }),
      ...CONNECTION_OPTIONS,
    ],
    examples: { "trading-admin top --profile prod --positions Exchange/Symbol": "watches an installation" },
    load: () => import("../top/top.ts"),
  },
  {
    name: "doctor",
    summary: "Check the way to the engine: address, TLS, clock, credentials, engine link, versions",
    description:
      "Checks each address of the installation, and says what is wrong and what to do. Sends no command. Exit code 1 when " +
      "a check failed. Says whose credentials are used and where they come from, what this user may do, and what a " +
      "token contains.",
    options: [OUTPUT_OPTION, ...CONNECTION_OPTIONS],
    examples: { "trading-admin doctor --profile prod": "a line for each check" },
    load: () => import("../doctor/doctor.ts"),
  },
  {
    name: "drill",
    summary: "Halt a node, prove it, resume it, prove that, and print the evidence",
    description:
      "Trading stops at the node until both are proven. Asks first; sends nothing where trading is already halted, as it " +
      "would be resumed. Somebody else's halt stays, except one in the milliseconds between the last look at the state and the resume: " +
      "run drills when nobody trades there. Where the resume needs a second person, the drill prints the line " +
      "that this person types, and waits for it for as long as the gateway does. Only that person's resume, by the records of the gateway's console, makes it passed: a halt " +
      "that ends otherwise is not proven. If nobody comes, or after Ctrl-C, the evidence says not " +
      "finished, and trading stays halted: exit code 8.",
    arguments: { "[path]": "Projection path of the node; system-wide unless given." },
    options: [
      ...options({
        "--reason <text>": "reason in the audit log, Drill unless given; six random characters are appended",
        "--wait <duration>": "how long to wait for each proof; 10s unless given",
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
      "trading-admin drill 'Account[TEST]' > drill.md": "asks, and saves times and request ids as a page",
      "trading-admin drill 'Account[TEST]' --yes -o json": "for scripts: does not ask",
    },
    load: () => import("../drill/drill.ts"),
  },
  {
    name: "conformance",
    summary: "Test whether an engine, in any language, keeps the bus contract",
    description:
      "Runs the conformance kit against the engine at a URL, as a gateway would ask it. The cases halt and resume all trading, and change what " +
      "the landmarks name: never run it against an installation that trades. Restart the engine for each run. Cases for what the engine " +
      "does not have, or the landmarks leave out, are not applicable (n/a), with the reason. Exit code 0: no case failed; 1: one did; " +
      "4: the engine refused the token; 6: no engine was found at the URL.",
    arguments: { "<url>": "Address of the engine's bus: ws://, wss:// or nats://." },
    options: [
      ...options({
        "--token-file <file>": "file with the token that the engine, or the NATS server, requires",
        "--landmarks <file>": "YAML or JSON: names from the engine's installation, and which operations it has",
      }),
      {
        flags: "-o, --output <format>",
        description: "table unless given; junit is XML for test reports",
        choices: ["table", "json", "junit"],
      },
      ...CHANGE_OPTIONS,
      ...BUS_TLS_OPTIONS,
    ],
    examples: {
      "trading-admin conformance ws://127.0.0.1:8989 --landmarks landmarks.yaml":
        "a line for each case, and how many passed",
      "trading-admin conformance ws://127.0.0.1:8989 -o junit > conformance.xml": "for a pipeline",
    },
    load: () => import("../conformance/conformance.ts"),
  },
];
