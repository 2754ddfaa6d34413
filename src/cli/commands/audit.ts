import { type CommandDefinition, type OptionDefinition, options } from "../framework/definition.ts";
import { OUTPUT_OPTION, STREAM_OPTION } from "../output/format.ts";

const STREAM_OPTIONS: readonly OptionDefinition[] = options({
  "--nats <urls>": "read the audit stream on these NATS servers: nats://127.0.0.1:4222",
  "--config <file>": "application.yaml of a gateway: read the audit stream that it writes, or else its audit file",
  "--stream <name>": "the stream; the one that takes audit.* unless given here or in --config",
  "--gateway <name>": "only the records of this gateway in the stream",
  "--token-file <file>": "file with the token that the NATS server requires",
  "--credentials <file>": "NATS credentials file (.creds)",
  "--tls-ca <file>": "PEM file of the certificate authorities trusted for the NATS server",
  "--tls-certificate <file>": "PEM file of the certificate that is shown to the NATS server",
  "--tls-private-key <file>": "PEM file of its private key",
}).map((option) => ({ ...option, group: "Audit stream" }));

const FILTERS = options({
  "--user <name>": "only requests of this user",
  "--operation <name>": "only this operation, as halt or haltTrading",
  "--target <target>": "only this target, as Account[GOLD], a service, OE1/CLIENT1, or (root)",
  "--outcome <outcome>": "only this outcome: open, unknown, applied, rejected, denied, not-sent ...",
  "--since <time>": "only from this time on: 15m (ago), 09:30 (today, UTC), 2026-01-05T09:30:00Z",
  "--until <time>": "only before this time",
});

const WAITING = options({
  "--waiting": "only changes that wait for a second person now, each with the line that another user types",
});

const LINES = options({ "-n, --lines <number>": "how many requests; 10 unless given" });

const TRAIL = { "[file]": "The current file; its rotated files belong to it." };

export const AUDIT: CommandDefinition = {
  name: "audit",
  summary: "Read and verify the audit file of a gateway",
  commands: [
    {
      name: "show",
      summary: "Requests, and what happened to them",
      description:
        "Joins the intent and the outcome of each request, and marks those that are open or unknown. Includes refusals and " +
        "failed logins; first of two is a request that another user has to send as well. Requests of several gateways are in the order of the engine's time, whatever their clocks say. Reads only " +
        "the files, or the stream that gateways write (admin.audit.stream): no gateway needs to run.",
      arguments: { "[file...]": "Current files of one or several gateways, each with its rotated files." },
      options: [...FILTERS, ...WAITING, OUTPUT_OPTION, ...STREAM_OPTIONS],
      examples: {
        "trading-admin audit show --config application.yaml --since 15m":
          "the trail of the gateway with this configuration",
        "trading-admin audit show audit.jsonl --waiting": "what waits for a second person, and what they type",
        "trading-admin audit show audit.jsonl --since 09:30": "everything since half past nine UTC",
        "trading-admin audit show audit.jsonl --target 'Account[GOLD]'": "all that was done to this account",
        "trading-admin audit show gw1.jsonl gw2.jsonl --outcome unknown": "what may have been applied",
        "trading-admin audit show audit.jsonl --since 09:00 --until 10:00 -o csv":
          "who did what in that hour, for a spreadsheet",
        "trading-admin audit show --nats nats://127.0.0.1:4222": "all gateways, from their stream",
      },
      load: async () => ({ run: (await import("../audit/show.ts")).showRequests }),
    },
    {
      name: "tail",
      summary: "The last requests",
      arguments: TRAIL,
      options: [...LINES, ...FILTERS, OUTPUT_OPTION, ...STREAM_OPTIONS],
      examples: { "trading-admin audit tail audit.jsonl -n 20": "the last twenty" },
      load: async () => ({ run: (await import("../audit/show.ts")).showLastRequests }),
    },
    {
      name: "follow",
      summary: "The last requests, and then each new one",
      description:
        "Follows the file through rotations, or the stream of several gateways over new connections. A request is printed once its outcome is recorded, or as open after a second.",
      arguments: TRAIL,
      options: [...LINES, ...FILTERS, STREAM_OPTION, ...STREAM_OPTIONS],
      examples: {
        "trading-admin audit follow audit.jsonl --operation halt": "prints each halt",
        "trading-admin audit follow --config application.yaml": "what all gateways do that share its stream",
      },
      load: () => import("../audit/follow.ts"),
    },
    {
      name: "verify",
      summary: "Verify the hash chain of audit files, or of the audit stream",
      description:
        "With a file and a stream it verifies both and compares them: the stream shows whether records " +
        "were removed from the end of the file, or all of it was rewritten. In the stream it reads the records of the gateway " +
        "that --gateway names, else --config (admin.gateway.name), else the last record of the file.",
      arguments: { "[file...]": "The current file, which includes its rotated files, or several files in order." },
      options: [...options({ "--expect-last <hash>": "hash that the last record must have" }), ...STREAM_OPTIONS],
      examples: {
        "trading-admin audit verify audit.jsonl": "exit code 1 when a record was changed",
        "trading-admin audit verify --nats nats://127.0.0.1:4222": "the chain of each gateway in the stream",
        "trading-admin audit verify audit.jsonl --config application.yaml": "exit code 1 when file and stream differ",
      },
      load: () => import("../audit/verify.ts"),
    },
  ],
};
