import { CONNECTION_OPTIONS } from "../connection/options.ts";
import { INTERVAL_OPTION } from "../duration.ts";
import type { CommandDefinition } from "../framework/definition.ts";
import { OUTPUT_OPTION, STREAM_OPTION } from "../output/format.ts";
import { operationCommand } from "./operation-command.ts";

const HALT = operationCommand("halt", "haltTrading", {
  description:
    "Halts trading system-wide, or at a node of the position/risk tree, and waits until the engine shows it. Never asks. " +
    "Exit code 0: the engine shows the halt; 7: it was accepted, but the engine did not show it in time; 3: it may have been " +
    "applied, read the state; 6: it was not sent. A cancel is a request: with --cancel-orders, 0 means that open sizes of " +
    "positions were read and are zero, and 7 names orders that stay or says that this is not proven.",
  examples: {
    "trading-admin halt --reason 'stale price feed'": "halts all trading and proves it",
    "trading-admin halt 'Account[GOLD]' --wait 30s": "halts one account; quote the path, as shells expand brackets",
    "trading-admin halt --cancel-orders": "halts all trading, requests all cancels, and looks for open orders",
  },
});

const RESUME = operationCommand("resume", "resumeTrading", {
  description:
    "Resumes trading system-wide, or at a node. Shows what is halted, asks, sends, and shows the result. A node stays " +
    "halted while a node that contains it is halted. Nodes that were halted individually stay halted; they are named, as are " +
    "stops that the engine forgot.",
  examples: {
    "trading-admin resume": "shows the state, asks, and resumes trading system-wide",
    "trading-admin resume 'Account[GOLD]' --yes --wait": "for scripts: does not ask, and proves it",
  },
});

const STATUS = operationCommand("status", "getTradingStatus", {
  description:
    "Without a path: whether all trading is halted, and which nodes are halted individually. With a path: whether trading is halted " +
    "there, and at every node that contains it: each of them stops orders at the path.",
  examples: {
    "trading-admin trading status": "system-wide, and what else is halted",
    "trading-admin trading status 'Source[A]/Account[GOLD]'": "the node, and those that contain it",
  },
});

const HALTS: CommandDefinition = {
  name: "halts",
  summary: "What is halted, since when and by whom",
  description:
    "Lists all paths that are halted, the whole system included. Since when and by whom is from the records of the gateway. Unless the " +
    "engine lists its halts itself, those of other gateways may be missing; it says so. Warns of stops that the engine forgot.",
  options: [OUTPUT_OPTION, ...CONNECTION_OPTIONS],
  examples: {
    "trading-admin trading halts": "a line for each path that is halted",
    "trading-admin trading halts -o json": "projectionPath, reason, since (epoch milliseconds) and by of each",
  },
  load: async () => ({ run: (await import("../halts/halts.ts")).listHalts }),
};

const CHECK: CommandDefinition = {
  name: "check",
  summary: "Exit code 0 where nothing is halted or forgotten, for cron and scripts",
  description:
    "Prints a line for each path that is halted, and ends with exit code 1, also where the engine forgot a stop; with 0 where neither is. " +
    "If this cannot be determined: 6 when the gateway or its engine cannot be reached, else 3, as in the seconds after the engine connected.",
  options: CONNECTION_OPTIONS,
  examples: { "trading-admin trading check || mail -s 'trading is halted' desk": "for cron" },
  load: async () => ({ run: (await import("../halts/halts.ts")).checkHalts }),
};

const WATCH: CommandDefinition = {
  name: "watch",
  summary: "Print when trading is halted or resumed",
  description:
    "Watches the system-wide state, the list of halts, each path, and the nodes that contain it: a halt of any of them stops orders.",
  arguments: { "[path...]": "Further projection paths to watch." },
  options: [INTERVAL_OPTION, STREAM_OPTION, ...CONNECTION_OPTIONS],
  examples: { "trading-admin trading watch 'Source[A]/Account[GOLD]'": "a line for each halt and resume" },
  load: () => import("../watch/trading.ts"),
};

/** Kill switch; `halt` and `resume` are at the top as well, for that is where they are looked for in a hurry. */
export const TRADING: readonly CommandDefinition[] = [
  HALT,
  RESUME,
  { name: "trading", summary: "Halt and resume trading", commands: [STATUS, HALTS, CHECK, HALT, RESUME, WATCH] },
];

/** Trade connectors and algorithms. */
export const SERVICES: CommandDefinition = {
  name: "services",
  summary: "List, enable and disable trade connectors and algorithms",
  commands: [
    operationCommand("list", "listServices", {
      examples: { "trading-admin services list": "all services and whether they accept orders" },
    }),
    operationCommand("show", "getService", {
      description: "Shows a service; of one that is disabled also who disabled it through this gateway, when and why.",
      examples: { "trading-admin services show SIM": "one service" },
    }),
    operationCommand("enable", "enableService", {
      description: "Lets a service accept orders again. Shows the state, asks, sends, and shows the result.",
      examples: { "trading-admin services enable SIM --yes --wait": "for scripts: does not ask, and proves it" },
    }),
    operationCommand("disable", "disableService", {
      description: "Stops a service from accepting orders; its working orders are not cancelled. Never asks.",
      examples: { "trading-admin services disable SIM --reason 'bad fills' --wait": "disables it and proves it" },
    }),
  ],
};
