import type { CommandDefinition } from "../command/definition.ts";
import { operationCommand } from "./operation-command.ts";

/** Risk limits. */
export const RISK: CommandDefinition = {
  name: "risk",
  summary: "Read and change risk limits",
  commands: [
    operationCommand("table", "getRiskTable", {
      examples: [{ line: "trading-admin risk table Account/Symbol", does: "limits of each account and symbol" }],
    }),
    operationCommand("update", "updateRiskTable", {
      description:
        "Applies commands to a risk table, all or none. Shows what is now and what would be, asks, sends, and shows the table " +
        "then. Removing a limit, or changing one tenfold, asks again.",
      examples: [
        {
          line: `trading-admin risk update Account --commands '[{"type":"UPDATE","conditions":{"Account":"GOLD"},"limits":{"MaxOrderSize":"500"}}]'`,
          does: "sets a limit of one row",
        },
        { line: "trading-admin risk update --input update.json", does: "takes projection and commands from a file" },
      ],
    }),
  ],
};
