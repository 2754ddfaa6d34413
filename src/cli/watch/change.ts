/** Something that has changed since the previous reading. */
export interface Change {
  /** Name of the session, path or position. */
  readonly about: string;
  readonly words: string;
  /** Each field that changed, before and now; null where there is no value. */
  readonly fields: Readonly<Record<string, FieldChange>>;
}

export interface FieldChange {
  readonly from: unknown;
  readonly to: unknown;
}

export interface Compared<T> {
  /** Name of an element; it is the same at each reading. */
  nameOf(element: T): string;
  /** Fields whose changes are worth a line. */
  fieldsOf(element: T): Readonly<Record<string, unknown>>;
}

/** Elements that were added, changed and removed between two readings. */
export function changesOf<T>(before: readonly T[], now: readonly T[], { nameOf, fieldsOf }: Compared<T>): Change[] {
  const earlier = new Map(before.map((element) => [nameOf(element), fieldsOf(element)]));
  const changes = now.flatMap((element) => {
    const about = nameOf(element);
    const old = earlier.get(about);
    earlier.delete(about);
    const fields = differing(old ?? {}, fieldsOf(element));
    if (!old) return [{ about, words: `new: ${inWords(fields)}`, fields }];
    return Object.keys(fields).length === 0 ? [] : [{ about, words: inWords(fields), fields }];
  });
  const gone = [...earlier].map(([about, old]) => ({ about, words: "gone", fields: differing(old, {}) }));
  return [...changes, ...gone];
}

function differing(
  before: Readonly<Record<string, unknown>>,
  now: Readonly<Record<string, unknown>>,
): Change["fields"] {
  const names = new Set([...Object.keys(before), ...Object.keys(now)]);
  const pairs = [...names].map((name) => [name, { from: before[name] ?? null, to: now[name] ?? null }] as const);
  return Object.fromEntries(pairs.filter(([, { from, to }]) => from !== to));
}

/** `status Connected -> Disabled, size 5`; what has no value now is `none`. */
function inWords(fields: Change["fields"]): string {
  const words = Object.entries(fields).map(
    ([name, { from, to }]) =>
      `${name} ${from === null ? "" : `${String(from)} -> `}${to === null ? "none" : String(to)}`,
  );
  return words.join(", ");
}
