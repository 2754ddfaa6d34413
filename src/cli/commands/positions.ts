import type { CommandDefinition } from "../command/definition.ts";
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
      examples: [
        {
          line: "trading-admin positions list Account/Symbol",
          does: "positions of each account and symbol, with totals",
        },
        {
          line: "trading-admin positions list Account/Symbol --account GOLD -o csv",
          does: "those of one account, for a sheet",
        },
      ],
    }),
    operationCommand("adjust", "adjustPosition", {
      description:
        "Sets or changes the position of a node. Shows what is now and what would be, asks, sends, and shows what is then.",
      options: [{ flags: "--expect <decimal>", description: "send nothing when the size now is another than this" }],
      examples: [
        {
          line: "trading-admin positions adjust 'Account[GOLD]/Symbol[AAPL]' --size 100 --expect 80",
          does: "sets the size to 100 if it is 80 now",
        },
        {
          line: "trading-admin positions adjust 'Account[GOLD]/Symbol[AAPL]' --size -5 --relative",
          does: "takes 5 off",
        },
      ],
    }),
    {
      name: "watch",
      summary: "Print what changes in positions: their sizes and those of open orders",
      description: "Reads again and again and prints only changes. Values that follow the market are not among them.",
      arguments: [
        { name: "projection", description: "Projection of the positions, such as Account/Symbol.", required: true },
      ],
      options: [...fieldOptionsOf("listPositions"), INTERVAL_OPTION, STREAM_OPTION, ...CONNECTION_OPTIONS],
      examples: [
        {
          line: "trading-admin positions watch Account/Symbol --account GOLD",
          does: "a line for each change of a size",
        },
      ],
      load: () => import("../watch/positions.ts"),
    },
  ],
};
