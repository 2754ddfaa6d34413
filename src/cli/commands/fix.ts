import { type CommandDefinition, options } from "../command/definition.ts";
import { CONNECTION_OPTIONS } from "../connection/options.ts";
import { INTERVAL_OPTION } from "../duration.ts";
import { STREAM_OPTION } from "../output/format.ts";
import { operationCommand } from "./operation-command.ts";

/** FIX gateways and sessions. */
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
      examples: {
        "trading-admin fix sessions": "sessions of all gateways",
        "trading-admin fix sessions OE1 -o json": "those of one, as the API returns them",
      },
    }),
    operationCommand("session", "getFixSession", {
      examples: { "trading-admin fix session OE1 CLIENT1": "one session with its counters" },
    }),
    operationCommand("enable", "enableFixSession", {
      description: "Lets a disabled FIX session log on again. Shows the state, asks, sends, and shows the result.",
      examples: { "trading-admin fix enable OE1 CLIENT1 --yes": "for scripts: does not ask" },
    }),
    operationCommand("disable", "disableFixSession", {
      description:
        "Drops a FIX session's connection and refuses further logons; its working orders stay in the market. Never asks.",
      examples: { "trading-admin fix disable OE1 CLIENT1 --wait": "disables it and proves it" },
    }),
    operationCommand("disconnect", "disconnectFixSession", {
      description: "Drops a FIX session's current connection; its peer may connect again at once. Never asks.",
      examples: { "trading-admin fix disconnect OE1 CLIENT1": "drops the connection" },
    }),
    {
      name: "watch",
      summary: "Print changes in FIX sessions: status, peer, resets of sequence numbers",
      description:
        "Polls and prints only changes, with the time they were seen. An outage is reported on standard " +
        "error when it begins and when it ends.",
      arguments: { "[gateway]": "Name of the FIX gateway; all of them unless given." },
      options: [
        ...options({ "--traffic": "also print every change of a sequence number" }),
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
