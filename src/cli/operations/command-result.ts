import type { OperationName } from "../../core/operations/table.ts";
import type { CommandOutcome } from "../exit-codes.ts";
import type { OperationInput } from "./input.ts";

/** What became of a command; `--output json` prints it as it is. Times are ISO 8601 in UTC, null where there is none. */
export interface CommandResult {
  readonly operation: OperationName;
  readonly input: OperationInput;
  readonly requestId: string | null;
  readonly outcome: CommandOutcome;
  /** For people: what was asked for, and what happened to it. */
  readonly message: string;
  readonly askedAt: string | null;
  readonly acceptedAt: string | null;
  /** When the engine was seen to show it. */
  readonly seenAt: string | null;
  /** What was read at the end. */
  readonly state: unknown;
}
