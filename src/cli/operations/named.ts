import { UsageError } from "../exit-codes.ts";
import type { Invocation, Options } from "../framework/definition.ts";
import type { Command } from "./describe-command.ts";

/** One invocation for each named thing; duplicates count once. */
export function eachNamed(invocation: Invocation): Invocation[] {
  const { arguments: args } = invocation;
  const list = Object.entries(args).find(([, value]) => Array.isArray(value));
  if (!list) return [invocation];
  const [word, names] = list as [string, readonly string[]];
  const each = names.length === 0 ? [undefined] : [...new Set(names)];
  return each.map((name) => ({ ...invocation, arguments: { ...args, [word]: name } }));
}

/** For commands that name several things. */
export function refuseInput({ input }: Options): void {
  if (input !== undefined) throw new UsageError("--input is the input of one request; nothing was sent");
}

export async function printCurls(options: Options, commands: readonly Command[]): Promise<number> {
  const { printCurl } = await import("./curl.ts");
  for (const command of commands) await printCurl(options, command);
  return 0;
}
