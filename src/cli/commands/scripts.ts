import type { CommandDefinition } from "../command/definition.ts";
import { CONNECTION_OPTIONS } from "../connection/options.ts";

/** Any operation by its name, and the pages of a gateway. */
export const SCRIPTS: readonly CommandDefinition[] = [
  {
    name: "call",
    summary: "Call an operation by its name and print its output",
    description:
      "Calls an operation and prints its output as JSON. Exit code 3: a command may have been applied; 1: nothing was changed. Applied " +
      "although the status is an error: 0, and standard error says so.",
    arguments: [
      { name: "operation", description: "such as haltTrading; operationId of the OpenAPI document", required: true },
      { name: "input", description: "its input as a JSON object, {} unless given; - reads it from standard input" },
    ],
    options: CONNECTION_OPTIONS,
    examples: [{ line: `trading-admin call haltTrading '{"reason":"drill"}'`, does: "halts all trading" }],
    load: () => import("../call.ts"),
  },
  page("docs", "Open the interactive page of a gateway on this machine, with your credentials, bearer tokens too"),
  page("console", "Open the console of a gateway on this machine, with your credentials, bearer tokens too"),
];

function page(name: "docs" | "console", summary: string): CommandDefinition {
  return {
    name,
    summary,
    options: CONNECTION_OPTIONS,
    examples: [
      { line: `trading-admin ${name} --profile prod`, does: "prints an address that works once, for your browser" },
    ],
    load: () => import("../docs/docs.ts"),
  };
}
