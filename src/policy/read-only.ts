import type { Policy } from "../core/policy/policy.ts";

/** Refuses every command, stops too: for an installation that is only looked at, while another one is in control. */
export function readOnly(): Policy {
  return ({ operation }) => `${operation} is refused: this installation is read-only, stops included`;
}
