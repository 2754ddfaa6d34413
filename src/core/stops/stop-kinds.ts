import type { FieldCondition } from "../operations/operation.ts";
import { type OperationName, type Operations, operationNames, operationRecord } from "../operations/table.ts";

/** A kind of stop that lasts until a change takes it back, as the operation table describes it. */
export interface StopKind {
  readonly stop: OperationName;
  readonly undo: OperationName;
  /** Input fields that name what is stopped; they are the input of {@link read}. */
  readonly target: readonly string[];
  /** The read that shows whether the stop is in force. */
  readonly read: OperationName;
  /** What that read shows while it is. */
  readonly shown: readonly FieldCondition[];
}

/** All kinds of lasting stops of a table. A stop that nothing undoes, such as a disconnection, leaves no state behind. */
export function stopKinds(operations: Operations): StopKind[] {
  return operationNames.flatMap((undo) => {
    const { undoes } = operationRecord(operations, undo);
    if (undoes === undefined) return [];
    const stop = undoes as OperationName;
    const { target, confirmedBy } = operationRecord(operations, stop);
    if (!confirmedBy)
      throw new Error(`${stop} lasts until ${undo}, so the operation table has to say which read shows it`);
    return [{ stop, undo, target, read: confirmedBy.read as OperationName, shown: confirmedBy.shown }];
  });
}
