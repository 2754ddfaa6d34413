import { hostInUrl, isLoopback } from "../core/urls.ts";
import type { FixPort } from "../engine/fix/port.ts";

/** Width of the names: the longest usual one is `authentication`. */
const NAME_WIDTH = 14;

/** A line of what a program prints for the operator when it is ready. */
export function startLine(name: string, text: string): string {
  return `  ${name.padEnd(NAME_WIDTH)}  ${text}`;
}

/** The line of a FIX port. */
export function fixPortLine({ gateway, host, port }: FixPort): string {
  const warning = isLoopback(host) ? "" : "  whoever reaches this address can send orders to the simulator";
  return startLine(`fix ${gateway}`, `${hostInUrl(host)}:${port}${warning}`);
}
