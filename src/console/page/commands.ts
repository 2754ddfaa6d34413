import type { ConfirmedOperation } from "../../client/shown.ts";
import type { Input } from "../../core/operations/table.ts";
import { commandConsequence, commandWords } from "../../pages/command-words.ts";

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

/** Word that has to be typed before what starts something. */
const TYPED: Partial<Record<ConfirmedOperation, string>> = {
  resumeTrading: "RESUME",
  enableService: "ENABLE",
  enableFixSession: "ENABLE",
};

/** The command of an operation. */
export function pageCommand<K extends ConfirmedOperation>(operation: K, input: Input<K>): PageCommand {
  return {
    operation,
    input,
    words: commandWords(operation, input) ?? operation,
    consequence: commandConsequence(operation, input),
    typed: TYPED[operation],
    takesReason: !operation.endsWith("FixSession"),
  };
}
