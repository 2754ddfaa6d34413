import { CONNECTION_OPTIONS } from "../connection/options.ts";
import type { CommandDefinition } from "../framework/definition.ts";
import { OUTPUT_OPTION } from "../output/format.ts";
import { CHANGE_OPTIONS, CURL_OPTIONS, operationCommand, WAIT_OPTIONS } from "./operation-command.ts";

export const RISK: CommandDefinition = {
  name: "risk",
  summary: "Read and change risk limits",
  commands: [
    operationCommand("table", "getRiskTable", {
      examples: { "trading-admin risk table Account/Symbol": "limits of each account and symbol" },
    }),
    {
      name: "set",
      summary: "Change limits of one row of a risk table",
      description:
        "Changes the limits that it names, and adds the row where there is none; a new row is without limits that it does not name. Shows, " +
        "asks and sends as risk update does, which changes several rows.",
      arguments: {
        "<path>": "The row, as its path: a projection key and value for each column, * for any.",
        "<limit...>": "NAME=VALUE for each limit, with the names that risk table -o json shows; unlimited lifts it.",
      },
      options: [...WAIT_OPTIONS, ...CHANGE_OPTIONS, OUTPUT_OPTION, ...CURL_OPTIONS, ...CONNECTION_OPTIONS],
      examples: {
        "trading-admin risk set 'Account[PENSION]' MaxOpenOrdersCount=10": "changes one limit",
        "trading-admin risk set 'Account[*]/Symbol[EUR/USD]' MaxOrderSize=500 MaxPositionLong=unlimited":
          "changes one limit of the row for any account, and lifts another",
      },
      load: () => import("../risk/set.ts"),
    },
    operationCommand("update", "updateRiskTable", {
      description:
        "Applies commands to a risk table, all or none. Shows which limits apply to orders now and would then, asks, sends, and shows " +
        "the table afterwards. Asks again before it removes a limit or changes one tenfold; --yes does not answer that question where " +
        "a limit is loosened: then apply a plan. UPDATE changes the limits that it " +
        "names, and adds the row where there is none; a new row is without limits that it does not name.",
      examples: {
        'trading-admin risk update Account --commands \'[{"type":"UPDATE","conditions":{"Account":"PENSION"},"limits":{"MaxOpenOrdersCount":"10"}}]\'':
          "changes one limit; null in place of the number removes it",
        'trading-admin risk update Account --commands \'[{"type":"DELETE","conditions":{"Account":"GOLD"}}]\'':
          "removes a row",
        "trading-admin risk update --input update.json": "takes projection and commands from a file",
      },
    }),
    {
      name: "export",
      summary: "Write a risk table as a file that risk plan takes",
      arguments: { "[projection]": "Projection of the table, such as Account/Symbol; the root unless given." },
      options: [
        {
          flags: "-o, --output <format>",
          description: "format of the file; yaml unless given",
          choices: ["yaml", "csv"],
        },
        ...CONNECTION_OPTIONS,
      ],
      examples: {
        "trading-admin risk export Account/Symbol > limits.yaml": "the limits as they are, to edit and review",
        "trading-admin risk export Account/Symbol -o csv > limits.csv": "the same for a spreadsheet",
      },
      load: () => import("../risk/export.ts"),
    },
    {
      name: "plan",
      summary: "Compare a file of limits with the live table",
      description:
        "Compares a file, YAML or CSV as risk export writes it, with the live table, and marks each change as tighter, looser or " +
        "new. A row that is new or deleted is compared with the rows that may apply in its place. The file is the whole table: rows " +
        "that it lacks are deleted. Limits that a row does not name stay; a new row does not have them. Changes nothing.",
      arguments: { "<file>": "The desired limits, .yaml or .csv." },
      options: [OUTPUT_OPTION, ...CONNECTION_OPTIONS],
      examples: {
        "trading-admin risk plan limits.yaml": "shows what would change",
        "trading-admin risk plan limits.yaml --output json > plan.json": "the plan, to review and apply",
      },
      load: () => import("../risk/make-plan.ts"),
    },
    {
      name: "apply",
      summary: "Apply a plan of limits",
      description:
        "Sends what risk plan --output json printed, all or none. Refuses when the live table has changed since the plan was made. " +
        "Shows the current and the new limits, asks, sends, and shows the table afterwards. Asks again before it removes a limit or " +
        "changes one tenfold.",
      arguments: { "<plan>": "File with the plan." },
      options: [...CHANGE_OPTIONS, OUTPUT_OPTION, ...CONNECTION_OPTIONS],
      examples: { "trading-admin risk apply plan.json": "asks, and applies the plan" },
      load: () => import("../risk/apply.ts"),
    },
  ],
};
