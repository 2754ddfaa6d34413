import { CONNECTION_OPTIONS } from "../connection/options.ts";
import { INTERVAL_OPTION } from "../duration.ts";
import { type CommandDefinition, options } from "../framework/definition.ts";
import { OUTPUT_OPTION, STREAM_OPTION } from "../output/format.ts";
import { operationCommand } from "./operation-command.ts";

const SESSION_STATUSES = ["Connected", "Disconnected", "Disabled"];

const SESSION_ORDERS = ["session", "status", "peer", "inbound", "outbound", "sender", "target", "connected"];

const ALL_OPTION = options({ "--all": "all sessions of the gateway, as it lists them now" });

export const FIX: CommandDefinition = {
  name: "fix",
  summary: "Inspect FIX gateways and sessions; enable, disable, disconnect sessions",
  commands: [
    operationCommand("gateways", "listFixGateways", {
      examples: { "trading-admin fix gateways": "all FIX gateways" },
    }),
    operationCommand("gateway", "getFixGateway", {
      examples: { "trading-admin fix gateway OE1": "one gateway with its counters" },
    }),
    operationCommand("sessions", "listFixSessions", {
      summary: "Sessions of a FIX gateway, or of all of them",
      description:
        "Lists the sessions of a FIX gateway, or of all. A gateway that cannot be read is named on standard error, the others are shown, " +
        "and the exit code is not 0. CompIDs and times of connections are in each session's details, which --details reads one by one.",
      options: [
        ...options({
          "--details": "also read CompIDs, times of connections and counters, with a request for each session",
        }),
        { flags: "--status <status>", description: "only sessions in this status", choices: SESSION_STATUSES },
        ...options({
          "--peer <address>":
            "only sessions with this peer: 10.30.1.21, 10.30.1.21:59806, or 10.30. for all that begin so",
        }),
        {
          flags: "--sort <column>",
          description: "sort by a column, numbers and times from the largest",
          choices: SESSION_ORDERS,
        },
      ],
      examples: {
        "trading-admin fix sessions": "sessions of all gateways",
        "trading-admin fix sessions OE1 --status Disconnected": "who is missing",
        "trading-admin fix sessions --details --sort connected": "CompIDs and times, the latest connection first",
        "trading-admin fix sessions OE1 -o json": "those of one, as the API returns them",
      },
      load: () => import("../fix/sessions.ts"),
    }),
    operationCommand("session", "getFixSession", {
      description:
        "Shows a session with its counters: by gateway and id, or by its id or a CompID alone, of whatever gateway. Of one that is disabled " +
        "also who disabled it through this gateway, and when.",
      examples: {
        "trading-admin fix session OE1 CLIENT1": "one session with its counters",
        "trading-admin fix session CLIENT1": "the session that has this id, else this CompID",
      },
      load: () => import("../fix/session.ts"),
    }),
    {
      name: "check",
      summary: "Check that FIX sessions are connected, for cron and scripts",
      description:
        "Exit code 0: all that are expected are connected; 1: some are not, with a line for each; 6 or 3: this could not be read. Prints " +
        "nothing when all is well.",
      arguments: { "<gateway>": "Name of the FIX gateway." },
      options: [
        { flags: "--expect <sessions>", description: "ids of sessions, separated by commas", required: true },
        OUTPUT_OPTION,
        ...CONNECTION_OPTIONS,
      ],
      examples: { "trading-admin fix check OE1 --expect CLIENT1,CLIENT2": "0 where both are connected" },
      load: () => import("../fix/check.ts"),
    },
    operationCommand("enable", "enableFixSession", {
      description: "Lets disabled FIX sessions log on again. Shows their state, asks, sends, and shows the result.",
      options: options({
        "--wait-logon [duration]": "wait until its peer has logged on, 60s unless given; exit code 7 if it does not",
      }),
      examples: {
        "trading-admin fix enable OE1 CLIENT1 --yes": "for scripts: does not ask",
        "trading-admin fix enable OE1 CLIENT1 CLIENT2": "two, after one question, with a result for each",
        "trading-admin fix enable OE1 CLIENT1 --yes --wait-logon 2m": "and waits until the client is connected",
      },
    }),
    operationCommand("disable", "disableFixSession", {
      description:
        "Drops a FIX session's connection and refuses further logons; its working orders stay in the market. Never asks.",
      options: ALL_OPTION,
      examples: {
        "trading-admin fix disable OE1 CLIENT1 --wait": "disables it and proves it",
        "trading-admin fix disable OE1 CLIENT1 CLIENT2":
          "two, with a result for each; the exit code is that of the worst",
        "trading-admin fix disable OE1 --all":
          "all sessions of the gateway; those that are disabled already are left as they are",
      },
    }),
    operationCommand("disconnect", "disconnectFixSession", {
      description:
        "Drops a FIX session's current connection; its peer may connect again immediately, and its working orders stay in the market. " +
        "Never asks.",
      options: ALL_OPTION,
      examples: {
        "trading-admin fix disconnect OE1 CLIENT1": "drops the connection",
        "trading-admin fix disconnect OE1 --all": "drops all connections of the gateway",
      },
    }),
    {
      name: "watch",
      summary: "Print changes in FIX sessions: status, peer, resets of sequence numbers, silence",
      description:
        "Polls and prints only changes, with the time they were seen; with each lost connection and each reset, how many there were since the " +
        "watch began. Connections from the same port are distinguished by their times, which are read for 16 sessions at a time. An outage is " +
        "reported on standard error when it begins and when it ends.",
      arguments: { "[gateway]": "Name of the FIX gateway; all of them unless given." },
      options: [
        ...options({
          "--traffic": "also print every change of a sequence number",
          "--idle <duration>":
            "report when a connected session has sent nothing for this long, and each time that this has doubled; 90s unless given",
        }),
        INTERVAL_OPTION,
        STREAM_OPTION,
        ...CONNECTION_OPTIONS,
      ],
      examples: {
        "trading-admin fix watch": "a line for each session that connects, disconnects or is reset",
        "trading-admin fix watch OE1 --traffic -o json": "one gateway with its traffic, for a program",
      },
      load: () => import("../watch/sessions.ts"),
    },
  ],
};
