import type { CommandDefinition } from "../command/definition.ts";
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
      examples: [{ line: "trading-admin fix gateways", does: "all FIX gateways" }],
    }),
    operationCommand("gateway", "getFixGateway", {
      examples: [{ line: "trading-admin fix gateway OE1", does: "one gateway with its counters" }],
    }),
    operationCommand("sessions", "listFixSessions", {
      summary: "Sessions of a FIX gateway, or of all of them",
      examples: [
        { line: "trading-admin fix sessions", does: "sessions of all gateways" },
        { line: "trading-admin fix sessions OE1 -o json", does: "those of one, as the API returns them" },
      ],
    }),
    operationCommand("session", "getFixSession", {
      examples: [{ line: "trading-admin fix session OE1 CLIENT1", does: "one session with its counters" }],
    }),
    operationCommand("enable", "enableFixSession", {
      description: "Lets a disabled FIX session log on again. Shows what is now, asks, sends, and shows what is then.",
      examples: [{ line: "trading-admin fix enable OE1 CLIENT1 --yes", does: "for scripts: does not ask" }],
    }),
    operationCommand("disable", "disableFixSession", {
      description: "Drops a FIX session's connection and refuses further logons. Never asks.",
      examples: [{ line: "trading-admin fix disable OE1 CLIENT1 --wait", does: "disables it and proves it" }],
    }),
    operationCommand("disconnect", "disconnectFixSession", {
      description: "Drops a FIX session's current connection; its peer may connect again at once. Never asks.",
      examples: [{ line: "trading-admin fix disconnect OE1 CLIENT1", does: "drops the connection" }],
    }),
    {
      name: "watch",
      summary: "Print what changes in FIX sessions: status, peer, resets of sequence numbers",
      description:
        "Reads again and again and prints only changes, with the time at which they were seen. An outage is reported on standard " +
        "error when it begins and when it is over.",
      arguments: [
        { name: "gateway", description: "Name of the FIX gateway; all of them unless given.", completes: "gateway" },
      ],
      options: [
        { flags: "--traffic", description: "print every change of a sequence number as well" },
        INTERVAL_OPTION,
        STREAM_OPTION,
        ...CONNECTION_OPTIONS,
      ],
      examples: [
        { line: "trading-admin fix watch", does: "a line for each session that connects, disconnects or is reset" },
        { line: "trading-admin fix watch OE1 --traffic -o json", does: "one gateway with its traffic, for a program" },
      ],
      load: () => import("../watch/sessions.ts"),
    },
  ],
};
