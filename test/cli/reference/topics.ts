import { EXIT } from "../../../src/cli/exit-codes.ts";

/** A part of the manual that is not about one command: paragraphs, and pairs of a name and its meaning. */
export interface Topic {
  readonly title: string;
  readonly paragraphs: readonly string[];
  readonly pairs: readonly (readonly [name: string, meaning: string])[];
}

const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  done: "done, or applied although the status is an error: standard error says so",
  failed: "failed, for a reason that no other code covers",
  usage: "the command line, or a file that it names, is wrong; nothing was sent",
  unknown: "a command may have been applied: read the state before it is repeated",
  denied: "denied: credentials or permission (401, 403)",
  rejected: "refused by the API or the engine, or not found",
  notSent:
    "not sent: 429, 503, another status of the API with X-Admin-Outcome not-applied, no connection, or not confirmed",
  notProven:
    "accepted, but the engine did not show it in time; or an empty 200 without X-Admin-Outcome, and nothing was read",
  leftHalted: "a `drill` could not resume what it halted, or it is not known whether it did; the last line says which",
};

/** What the manual says besides the commands. */
export const TOPICS: readonly Topic[] = [
  {
    title: "Stops and changes",
    paragraphs: [
      "Stops (halt, disable, disconnect) never ask for confirmation. Changes (resume, enable, limits, adjustments) show the current and the new " +
        "state, ask for confirmation, send, and show the result. --yes skips the question; without it and without a terminal nothing is sent. The word to type is yes; where a profile is " +
        "marked as production, it is the profile's name.",
      "A 200 of the API means that the engine accepted a command. halt waits until the engine shows it, and prints when it was " +
        "requested, accepted and confirmed, in UTC, with the request id; --wait does so for other commands, --no-wait turns it off.",
    ],
    pairs: [],
  },
  {
    title: "Output",
    paragraphs: [
      "Data goes to standard output, everything else to standard error. A table fits the terminal: long texts are cut, " +
        "then the least important columns left out, with a note. In a pipe or file nothing is cut. --output json of a read prints what the API returned; of a " +
        "command one object: operation, input, requestId, outcome (done, rejected, denied, not-sent, unknown, not-proven), message, " +
        "askedAt, acceptedAt, seenAt and state. There are no colours when standard output is not a terminal, or NO_COLOR is set.",
      "--output csv is for spreadsheets: lines end with CRLF (RFC 4180), and a text that a spreadsheet would take for a formula begins with '. " +
        "Programs should use --output json. Control, bidirectional and zero-width characters are escaped in every format.",
    ],
    pairs: [],
  },
  {
    title: "For every command",
    paragraphs: [],
    pairs: [
      ["-h, --help", "what the command is for, its arguments and options, and examples"],
      ["-V, --version", "of trading-admin alone: its version"],
    ],
  },
  {
    title: "Exit codes",
    paragraphs: [],
    pairs: Object.entries(EXIT).map(
      ([name, code]) => [String(code), EXIT_MEANINGS[name as keyof typeof EXIT]] as const,
    ),
  },
  {
    title: "Environment",
    paragraphs: [],
    pairs: [
      ["TRADING_ADMIN_URL", "address of the gateway"],
      ["TRADING_ADMIN_USER", "user of HTTP Basic"],
      ["TRADING_ADMIN_PASSWORD", "password of that user"],
      ["TRADING_ADMIN_PASSWORD_FILE", "file with the password"],
      ["TRADING_ADMIN_TOKEN", "access token, in place of user and password"],
      ["TRADING_ADMIN_PROFILE", "profile to use"],
      ["TRADING_ADMIN_CONFIG", "file of profiles, ~/.config/trading-admin/config.yaml unless set"],
      ["NO_COLOR", "no colours, whatever the value"],
    ],
  },
];
