import type { CommandDefinition } from "../command/definition.ts";
import { operationCommand } from "./operation-command.ts";

/** Trade connectors and algorithms. */
export const SERVICES: CommandDefinition = {
  name: "services",
  summary: "List, enable and disable trade connectors and algorithms",
  commands: [
    operationCommand("list", "listServices", {
      examples: [{ line: "trading-admin services list", does: "all services and whether they accept orders" }],
    }),
    operationCommand("show", "getService", {
      examples: [{ line: "trading-admin services show SIM", does: "one service" }],
    }),
    operationCommand("enable", "enableService", {
      description: "Lets a service accept orders again. Shows what is now, asks, sends, and shows what is then.",
      examples: [
        { line: "trading-admin services enable SIM --yes --wait", does: "for scripts: does not ask, and proves it" },
      ],
    }),
    operationCommand("disable", "disableService", {
      description: "Stops a service from accepting orders. Never asks.",
      examples: [
        { line: "trading-admin services disable SIM --reason 'bad fills' --wait", does: "disables it and proves it" },
      ],
    }),
  ],
};
