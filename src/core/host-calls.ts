import { type Logger, processWarnings } from "./logger.ts";
import { isThenable } from "./values/basics.ts";

/** Calls a function of the host; `what` names it, and `lost` is what nobody learns otherwise if it fails. */
export type HostCall = (what: string, call: () => unknown, lost?: string) => void;

/**
 * Makes a way to call what a host has only told to listen: its log, its listeners. What that throws, or rejects with, becomes a warning of the process
 * and ends neither the request nor the program: a kill switch must not die of its log (decision D-LOG 28).
 */
export function hostCalls(): HostCall {
  const warnings = processWarnings("catch it in the host; nothing else was affected");
  return (what, call, lost) => {
    const failed = (thrown: unknown): void =>
      warnings.error(`${what} has thrown`, { lost, cause: thrown instanceof Error ? thrown.stack : thrown });
    try {
      const returned = call();
      if (isThenable(returned)) returned.then(undefined, failed);
    } catch (thrown) {
      failed(thrown);
    }
  };
}

/** A listener of the host that cannot do harm. */
export function harmless<T>(what: string, listener: (value: T) => unknown): (value: T) => void {
  const call = hostCalls();
  return (value) => call(what, () => listener(value));
}

/** A log of the host that cannot do harm. */
export function harmlessLog(log: Logger): Logger {
  const call = hostCalls();
  const level =
    (name: "info" | "warn" | "error"): Logger["info"] =>
    (message, details) =>
      call(`\`log.${name}\` of the host`, () => (details ? log[name](message, details) : log[name](message)), message);
  return { info: level("info"), warn: level("warn"), error: level("error") };
}
