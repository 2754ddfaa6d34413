import { type CommandDefinition, options } from "../command/definition.ts";
import { CONNECTION_OPTIONS } from "../connection/options.ts";
import { INTERVAL_OPTION } from "../duration.ts";
import { STREAM_OPTION } from "../output/format.ts";
import { fieldOptionsOf, operationCommand } from "./operation-command.ts";

/** Positions. */
export const POSITIONS: CommandDefinition = {
  name: "positions",
  summary: "Query and adjust positions",
  commands: [
    operationCommand("list", "listPositions", {
      examples: {
        "trading-admin positions list Account/Symbol": "positions of each account and symbol, with totals",
        "trading-admin positions list Account/Symbol --account GOLD -o csv": "those of one account, for a sheet",
      },
    }),
    operationCommand("adjust", "adjustPosition", {
      description:
        "Sets or changes the position of a node. Shows what is now and what would be, asks, sends, and shows what is then.",
      options: options({ "--expect <decimal>": "send nothing when the size now is another than this" }),
      examples: {
        "trading-admin positions adjust 'Account[GOLD]/Symbol[AAPL]' --size 100 --expect 80":
          "sets the size to 100 if it is 80 now",
        "trading-admin positions adjust 'Account[GOLD]/Symbol[AAPL]' --size -5 --relative": "takes 5 off",
      },
    }),
    {
      name: "watch",
      summary: "Print what changes in positions: their sizes and those of open orders",
      description: "Reads again and again and prints only changes. Values that follow the market are not among them.",
      arguments: { "<projection>": "Projection of the positions, such as Account/Symbol." },
      options: [...fieldOptionsOf("listPositions"), INTERVAL_OPTION, STREAM_OPTION, ...CONNECTION_OPTIONS],
      examples: { "trading-admin positions watch Account/Symbol --account GOLD": "a line for each change of a size" },
      load: () => import("../watch/positions.ts"),
    },
  ],
};
