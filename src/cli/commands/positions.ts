import { CONNECTION_OPTIONS } from "../connection/options.ts";
import { INTERVAL_OPTION } from "../duration.ts";
import { type CommandDefinition, options } from "../framework/definition.ts";
import { STREAM_OPTION } from "../output/format.ts";
import { fieldOptionsOf, operationCommand } from "./operation-command.ts";

export const POSITIONS: CommandDefinition = {
  name: "positions",
  summary: "Query and adjust positions",
  commands: [
    operationCommand("list", "listPositions", {
      examples: {
        "trading-admin positions list Account/Symbol": "positions of each account and symbol",
        "trading-admin positions list Account/Symbol --account GOLD -o csv": "those of one account, for a spreadsheet",
      },
    }),
    operationCommand("adjust", "adjustPosition", {
      description:
        "Sets or changes the position of a node. Shows the current and the new position, asks, sends, and shows the result.",
      options: options({ "--expect <decimal>": "send nothing unless the current size is this" }),
      examples: {
        "trading-admin positions adjust 'Account[GOLD]/Symbol[AAPL]' --size 100 --expect 80":
          "sets the size to 100 if it is 80 now",
        "trading-admin positions adjust 'Account[GOLD]/Symbol[AAPL]' --size -5 --relative": "reduces it by 5",
      },
    }),
    {
      name: "watch",
      summary: "Print changes in the sizes of positions and of their open orders",
      description: "Polls and prints only changes, but not of values that follow the market.",
      arguments: { "<projection>": "Projection of the positions, such as Account/Symbol." },
      options: [...fieldOptionsOf("listPositions"), INTERVAL_OPTION, STREAM_OPTION, ...CONNECTION_OPTIONS],
      examples: { "trading-admin positions watch Account/Symbol --account GOLD": "a line for each change of a size" },
      load: () => import("../watch/positions.ts"),
    },
  ],
};
