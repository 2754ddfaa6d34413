import assert from "node:assert/strict";
import { z } from "zod";
import { TransportError } from "../../core/engine/transport.ts";
import { engineReads } from "../../core/operations/engine-reads.ts";
import { NotApplicable } from "./applicable.ts";
import { type EngineClient, replyText } from "./engine-client.ts";

/** The operations that the engine names in its description. Throws {@link NotApplicable} where it does not describe itself. */
export async function describedOperations(engine: EngineClient): Promise<readonly string[]> {
  const reply = await engine.askAny("describeEngine");
  if (reply instanceof TransportError || (!reply.ok && reply.refusal === "unsupported")) {
    throw new NotApplicable("no describeEngine");
  }
  assert.ok(reply.ok, `describeEngine: expected a result, but it was refused: ${replyText(reply)}`);
  const { success, data, error } = engineReads.describeEngine.output.safeParse(reply.result);
  assert.ok(success, `result of describeEngine does not conform to its schema:\n${error && z.prettifyError(error)}`);
  return data.operations;
}
