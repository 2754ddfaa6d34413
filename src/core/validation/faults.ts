import { grouped } from "../values/basics.ts";
/** Maximum of faults listed in a refusal (decision D-LOAD 5). */
export const MAX_FAULTS = 20;

/** Parameter of a zod issue: the number of unlisted issues that it stands for. */
export const OTHERS = "others";

const MAX_LENGTH = 512;

/** Faults of a request as one message: the first ones, and the number of the others. */
export function faultMessage(faults: readonly string[], count: number = faults.length): string {
  const listed = faults.slice(0, MAX_FAULTS).map(shortened);
  const others = count - listed.length;
  return [...listed, ...(others > 0 ? [`... and ${grouped(others)} more`] : [])].join("; ");
}

/** A fault with the path of its field: `commands[0].limits.MaxOrderSize: is required`. */
export function fault(path: readonly PropertyKey[], problem: string): string {
  const steps = path.map((step, index) =>
    typeof step === "number" ? `[${step}]` : `${index === 0 ? "" : "."}${shortened(String(step))}`,
  );
  return `${steps.join("")}: ${problem}`;
}

function shortened(text: string): string {
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH / 2)}...` : text;
}
