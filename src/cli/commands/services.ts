import type { CommandDefinition } from "../framework/definition.ts";
import { operationCommand } from "./operation-command.ts";

/** Trade connectors and algorithms. */
export const SERVICES: CommandDefinition = {
  name: "services",
  summary: "List, enable and disable trade connectors and algorithms",
  commands: [
    operationCommand("list", "listServices", {
      examples: { "trading-admin services list": "all services and whether they accept orders" },
    }),
    operationCommand("show", "getService", {
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
