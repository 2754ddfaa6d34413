import type { ConfirmedOperation } from "../../client/confirm.ts";
import type { Input } from "../../core/operations/table.ts";
import { commandWords } from "../../pages/command-words.ts";

/** A command as an operator sees it: what its button says, and what it does. */
export interface PageCommand {
  readonly operation: ConfirmedOperation;
  readonly input: Input<ConfirmedOperation>;
  /** Heading and button of the dialog, "Halt Account[GOLD]". */
  readonly words: string;
  readonly consequence: string;
  /** Word that has to be typed first; only for what starts something. */
  readonly typed: string | undefined;
  /** Whether the command takes a reason. */
  readonly takesReason: boolean;
}

interface Kind<K extends ConfirmedOperation> {
  readonly consequence: (input: Input<K>) => string;
  readonly typed?: string;
}

const KINDS: { readonly [K in ConfirmedOperation]: Kind<K> } = {
  haltTrading: {
    consequence: ({ projectionPath, cancelOrders }) =>
      `Every order of ${projectionPath === "" ? "the installation" : "this node"} is refused until trading is resumed. ${
        cancelOrders
          ? "It asks the engine to cancel all working orders; a venue may answer late, or not at all: look at the open sizes."
          : "Working orders stay in the market."
      }`,
  },
  resumeTrading: {
    consequence: ({ projectionPath }) =>
      projectionPath === ""
        ? "Orders are accepted again. Nodes that were halted on their own stay halted."
        : "Orders of this node are accepted again, unless trading is halted above it.",
    typed: "RESUME",
  },
  disableService: { consequence: () => "The service accepts no orders until it is enabled again." },
  enableService: { consequence: () => "The service accepts orders again.", typed: "ENABLE" },
  disableFixSession: {
    consequence: () =>
      "Its connection is dropped, and it cannot log on until it is enabled again. Its working orders stay in the market.",
  },
  enableFixSession: { consequence: () => "The session may log on again.", typed: "ENABLE" },
  disconnectFixSession: {
    consequence: () => "Its connection is dropped. The counterparty may connect again at once.",
  },
};

/** The command of an operation. */
export function pageCommand<K extends ConfirmedOperation>(operation: K, input: Input<K>): PageCommand {
  const { consequence, typed }: Kind<K> = KINDS[operation];
  return {
    operation,
    input,
    words: commandWords(operation, input) ?? operation,
    consequence: consequence(input),
    typed,
    takesReason: !operation.endsWith("FixSession"),
  };
}
