import { UsageError } from "./exit-codes.ts";
import type { OptionDefinition, Options } from "./framework/definition.ts";

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of a duration such as `500ms`, `5s`, `2m`, `1h` or `1d`; a number alone is in seconds. */
export function durationMs(option: string, text: string): number {
  const [, number, unit = "s"] = /^(\d+(?:\.\d+)?)(ms|[smhd])?$/.exec(text) ?? [];
  const factor = UNITS[unit];
  if (number !== undefined && factor !== undefined) return Math.round(Number(number) * factor);
  throw new UsageError(
    `${option}: ${JSON.stringify(text)} is not a valid duration (for example 500ms, 5s or 2m); nothing was sent`,
  );
}

/** The option of commands that read again and again. */
export const INTERVAL_OPTION: OptionDefinition = {
  flags: "--interval <duration>",
  description: "time between two readings, at least 200ms; 1s unless given",
};

const MIN_INTERVAL_MS = 200;

/** Milliseconds between two readings, of the option `--interval`. */
export function intervalOf({ interval = "1s" }: Options): number {
  const ms = durationMs("--interval", String(interval));
  if (ms >= MIN_INTERVAL_MS) return ms;
  throw new UsageError(
    `--interval: at least ${MIN_INTERVAL_MS}ms, so that the gateway has time for other things; is ${interval}`,
  );
}

/**
 * What is done when a command was accepted: `prove` reads until the engine shows it, and its not showing is a failure, also where nothing
 * can be read; `look` reads for a moment, and only what is read and does not show it is a failure; `none` reads nothing.
 */
export interface Wait {
  readonly kind: "prove" | "look" | "none";
  readonly ms: number;
  /** Waits until the peer of a FIX session logs on. */
  readonly logon?: true;
}

/** An engine that can be read begins no command later than 10 s after it was asked for; in one that hangs, a stop may wait for longer. */
const PROVE_MS = 10_000;
const LOOK_MS = 3_000;
/** A peer that lost its connection tries again within half a minute as a rule. */
const LOGON_MS = 60_000;

/** The wait that `--wait [duration]`, `--wait-logon [duration]` and `--no-wait` ask for. */
export function waitOf({ wait, waitLogon: logon }: Options, otherwise: "prove" | "look"): Wait {
  if (typeof logon === "string") return { kind: "prove", ms: durationMs("--wait-logon", logon), logon: true };
  if (logon === true) return { kind: "prove", ms: LOGON_MS, logon };
  if (wait === false) return { kind: "none", ms: 0 };
  if (typeof wait === "string") return { kind: "prove", ms: durationMs("--wait", wait) };
  if (wait === true || otherwise === "prove") return { kind: "prove", ms: PROVE_MS };
  return { kind: "look", ms: LOOK_MS };
}
