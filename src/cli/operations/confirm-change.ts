import type { OperationName } from "../../core/operations/table.ts";
import type { Options } from "../command/definition.ts";
import type { Connection } from "../connection/connect.ts";
import { confirmed } from "../terminal/confirm.ts";
import { say } from "../terminal/say.ts";
import { deedOf } from "./deed.ts";
import type { OperationInput } from "./input.ts";
import { previewOf } from "./preview.ts";

/**
 * Shows what is now and what would be, and has the person confirm it. Returns the state now; rejects when nothing is to be sent,
 * or when the state cannot be read.
 */
export async function confirmChange(
  connection: Connection,
  operation: OperationName,
  input: OperationInput,
  options: Options,
): Promise<unknown> {
  const { now, lines, drastic } = await previewOf(connection.client, operation, input, options);
  for (const line of lines) say(line);
  await confirmed(connection, options, `${deedOf(operation, input)}, in ${connection.name}`);
  for (const line of drastic) {
    say(line);
    await confirmed(connection, options, "Is that meant?");
  }
  return now;
}
