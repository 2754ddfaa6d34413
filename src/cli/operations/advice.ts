import type { AdminClient } from "../../client/client.ts";
import { unknownNodeAdvice } from "../../client/node-advice.ts";
import { warn } from "../terminal/say.ts";
import type { CommandResult } from "./deed.ts";

/** Says after a halt that the engine knows nothing at its path: a name that is mistyped halts nothing that trades. */
export async function adviseAfterStop(
  client: AdminClient,
  { operation, input, outcome }: CommandResult,
): Promise<void> {
  const { projectionPath } = input;
  const isHalt = operation === "haltTrading" && (outcome === "done" || outcome === "not-proven");
  if (!isHalt || typeof projectionPath !== "string" || projectionPath === "") return;
  await warnIfUnknown(client, projectionPath, "nothing else was halted");
}

/** Warns of a path at which the engine shows nothing. */
export async function warnIfUnknown(client: AdminClient, path: string, besides?: string): Promise<void> {
  const advice = await unknownNodeAdvice(client, path);
  if (advice !== undefined) warn([advice, besides].filter((part) => part !== undefined).join("; "));
}
