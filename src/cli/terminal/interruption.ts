/** Aborts `signal` at the first Ctrl-C; the second one ends the process, as it does without this. */
export function interruption(): { readonly signal: AbortSignal; readonly end: () => void } {
  const controller = new AbortController();
  const abort = (): void => controller.abort(new Error("the waiting was ended at the terminal"));
  process.once("SIGINT", abort);
  return { signal: controller.signal, end: () => void process.removeListener("SIGINT", abort) };
}
