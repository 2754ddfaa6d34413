import type { Options } from "../command/definition.ts";
import { durationMs } from "../duration.ts";

/**
 * What is done when a command was accepted: `prove` reads until the engine shows it, and its not showing is a failure; `look`
 * reads for a moment, to show what is then; `none` reads nothing.
 */
export interface Wait {
  readonly kind: "prove" | "look" | "none";
  readonly ms: number;
}

/** The engine does not begin a command later than 10 s after it was asked for, so what shows by then is all that will. */
const PROVE_MS = 10_000;
const LOOK_MS = 1_000;

/** The wait that `--wait [duration]` and `--no-wait` ask for. */
export function waitOf({ wait }: Options, otherwise: "prove" | "look"): Wait {
  if (wait === false) return { kind: "none", ms: 0 };
  if (typeof wait === "string") return { kind: "prove", ms: durationMs("--wait", wait) };
  if (wait === true || otherwise === "prove") return { kind: "prove", ms: PROVE_MS };
  return { kind: "look", ms: LOOK_MS };
}
