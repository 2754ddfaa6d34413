/** What came of one check. */
export interface Finding {
  readonly check: string;
  /** `unknown` is what cannot be found out from here. */
  readonly result: "ok" | "warning" | "failed" | "unknown";
  /** What was found, and for what is wrong what to do about it. */
  readonly detail: string;
}

/** Makes findings of one check. */
export function findings(
  check: string,
): Readonly<Record<"ok" | "warning" | "failed" | "unknown", (detail: string) => Finding>> {
  const found = (result: Finding["result"]) => (detail: string) => ({ check, result, detail });
  return { ok: found("ok"), warning: found("warning"), failed: found("failed"), unknown: found("unknown") };
}
