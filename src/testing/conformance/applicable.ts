/** A case does not apply to the engine under test: it lacks what the case is about. */
export class NotApplicable extends Error {
  override readonly name = "NotApplicable";
}

/** A landmark that a case cannot do without, of a list at least one. `what` completes the reason: "no algorithm". */
export function need<T>(landmark: T | undefined, what: string): T {
  if (landmark === undefined || (Array.isArray(landmark) && landmark.length === 0))
    throw new NotApplicable(`no ${what}`);
  return landmark;
}

/** Result of a part of a case: a value, or why that part does not apply. */
type Part<T> = { readonly value: T } | { readonly notApplicable: string };

/** Does a part of a case that is left out where it does not apply. */
export async function whereApplicable<T>(act: () => Promise<T>): Promise<Part<T>> {
  try {
    return { value: await act() };
  } catch (error) {
    if (error instanceof NotApplicable) return { notApplicable: error.message };
    throw error;
  }
}

/** Does all that applies, one after the other; the case does not apply where nothing does. */
export async function eachApplicable<T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<void> {
  const parts: Part<void>[] = [];
  for (const item of items) parts.push(await whereApplicable(() => act(item)));
  if (parts.every((part) => "notApplicable" in part)) throw notApplicable(parts);
}

/** Result of the first that applies; the case does not apply where none does. */
export async function firstApplicable<T, R>(items: readonly T[], act: (item: T) => Promise<R>): Promise<R> {
  const parts: Part<R>[] = [];
  for (const item of items) {
    const part = await whereApplicable(() => act(item));
    if ("value" in part) return part.value;
    parts.push(part);
  }
  throw notApplicable(parts);
}

function notApplicable(parts: readonly Part<unknown>[]): NotApplicable {
  const reasons = parts.flatMap((part) => ("notApplicable" in part ? part.notApplicable : []));
  return new NotApplicable([...new Set(reasons)].join(", "));
}
