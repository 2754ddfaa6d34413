import type { ConfirmedOperation } from "../../client/shown.ts";
import { COMMAND_WORDS } from "../../core/operations/command-words.ts";
import type { Input } from "../../core/operations/table.ts";

/** What takes each lasting stop back, as the operation table has it, which pages cannot load. */
export const UNDO = {
  haltTrading: "resumeTrading",
  disableService: "enableService",
  disableFixSession: "enableFixSession",
} as const satisfies Partial<Record<ConfirmedOperation, ConfirmedOperation>>;

export type LastingStop = keyof typeof UNDO;

/** A command as an operator sees it: what its button says, and what it does. */
export interface PageCommand {
  readonly operation: ConfirmedOperation;
  readonly input: Input<ConfirmedOperation>;
  /** Heading and button of the dialog, "Halt Account[GOLD]". */
  readonly words: string;
  /** How its thing is now: since when, by whom and why it is stopped. */
  readonly state: string;
  readonly consequence: string;
  /** Word that has to be typed first; only for what starts something. */
  readonly typed: string | undefined;
  readonly takesReason: boolean;
}

/** Only what starts something asks for a word. */
export function isStop({ typed }: PageCommand): boolean {
  return typed === undefined;
}

export function pageCommand<K extends ConfirmedOperation>(operation: K, input: Input<K>): PageCommand {
  const { heading, consequence, typed } = COMMAND_WORDS[operation];
  return {
    operation,
    input,
    words: heading(input),
    state: "",
    consequence: consequence?.(input) ?? "",
    typed: typed?.(input),
    takesReason: !operation.endsWith("FixSession"),
  };
}
