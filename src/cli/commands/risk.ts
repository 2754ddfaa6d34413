import type { CommandDefinition } from "../command/definition.ts";
import { CONNECTION_OPTIONS } from "../connection/options.ts";
import { OUTPUT_OPTION } from "../output/format.ts";
import { CHANGE_OPTIONS, operationCommand } from "./operation-command.ts";

/** Risk limits. */
export const RISK: CommandDefinition = {
  name: "risk",
  summary: "Read and change risk limits",
  commands: [
    operationCommand("table", "getRiskTable", {
      examples: { "trading-admin risk table Account/Symbol": "limits of each account and symbol" },
    }),
    operationCommand("update", "updateRiskTable", {
      description:
        "Applies commands to a risk table, all or none. Shows what is now and what would be, asks, sends, and shows the table " +
        "then. Removing a limit, or changing one tenfold, asks again.",
      examples: {
        'trading-admin risk update Account --commands \'[{"type":"UPDATE","conditions":{"Account":"GOLD"},"limits":{"MaxOrderSize":"500"}}]\'':
          "sets a limit of one row",
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
        "trading-admin risk export Account/Symbol -o csv > limits.csv": "the same for a sheet",
      },
      load: () => import("../risk/export.ts"),
    },
    {
      name: "plan",
      summary: "How a file of limits differs from the live table",
      description:
        "Compares a file, YAML or CSV as risk export writes it, with the live table, and marks each change as tighter, looser or " +
        "new. The file is the whole table: a row that it does not have is deleted. A limit that a row does not name stays. Changes " +
        "nothing.",
      arguments: { "<file>": "The wanted limits, .yaml or .csv." },
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
        "Sends what risk plan --output json printed, all or none. Refuses when the live table is not the one that the plan was made " +
        "from. Shows what is now and what would be, asks, sends, and shows the table then. Removing a limit, or changing one " +
        "tenfold, asks again.",
      arguments: { "<plan>": "File with the plan." },
      options: [...CHANGE_OPTIONS, OUTPUT_OPTION, ...CONNECTION_OPTIONS],
      examples: { "trading-admin risk apply plan.json": "asks, and applies the plan" },
      load: () => import("../risk/apply.ts"),
    },
  ],
};
