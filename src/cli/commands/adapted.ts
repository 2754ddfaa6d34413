import type { Invocation, Run } from "../command/definition.ts";

/** A command that sets its exit code itself, or has none but 0. */
export function adapted(work: (invocation: Invocation) => Promise<void>): { readonly run: Run } {
  return {
    run: async (invocation) => {
      await work(invocation);
      return undefined;
    },
  };
}
