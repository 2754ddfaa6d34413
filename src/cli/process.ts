import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { shellWord } from "../core/values/basics.ts";
import { encodingFault } from "../core/values/text-encoding.ts";
import { UsageError } from "./exit-codes.ts";

const ENDING = ["SIGTERM", "SIGINT"] as const;

/** Settles at SIGTERM or SIGINT, and with the signal that is given. The next signal of either kind ends the process immediately. */
export function terminated(signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      for (const name of ENDING) process.removeListener(name, end);
      resolve();
    };
    for (const name of ENDING) process.on(name, end);
    if (signal?.aborted) end();
    signal?.addEventListener("abort", end, { once: true });
  });
}

export const NAME = "trading-admin";

const LOCAL = `node_modules/.bin/${NAME}`;

/** How to call this program: for lines to paste into a shell. */
export function thisCommand(): string {
  return process.argv[1]?.endsWith(LOCAL) ? `npx ${NAME}` : commandAnywhere();
}

/** How to call this program from any folder: `npx` finds only what is installed where it runs. */
export function commandAnywhere(): string {
  const script = process.argv[1] ?? NAME;
  return basename(script) === NAME && !script.endsWith(LOCAL) ? NAME : `node ${shellWord(script)}`;
}

/** Whether `man trading-admin` finds the manual page: npm puts it beside the programs of a global installation, and of no other. */
export function hasManualPage(): boolean {
  const script = process.argv[1];
  return script !== undefined && existsSync(join(dirname(script), `../share/man/man1/${NAME}.1`));
}

/**
 * Text of a file that was named on the command line or in a profile, without a byte order mark; `problem` begins the message when it cannot
 * be read.
 *
 * @throws UsageError also for what is not UTF-8: to read it as something else would be to guess at names.
 */
export function textOfFile(file: string, problem: string): string {
  const bytes = bytesOf(file, problem);
  const fault = encodingFault(bytes);
  if (fault !== undefined) {
    const place = fault.at ? `line ${fault.at.line}, column ${fault.at.column}: ` : "";
    throw new UsageError(`${file}: ${place}${fault.reason}; save it as UTF-8`);
  }
  return bytes.toString("utf8").replace(/^\ufeff/, "");
}

function bytesOf(file: string, problem: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw new UsageError(`${problem}: ${(cause as Error).message}`, { cause });
  }
}

/** What to do about a module of this program that is gone; undefined for any other error. */
export function missingModule(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error) || error.code !== "ERR_MODULE_NOT_FOUND") return undefined;
  const remedy = `run ${thisCommand()} again, and if that does not help, install or build the package again`;
  return `this program was replaced while it ran, or is incomplete (${error.message}); ${remedy}`;
}
