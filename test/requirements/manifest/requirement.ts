/** One testable statement of the specification, or several halves of one. */
export interface Requirement {
  /** Heading of `docs/specification.md` that the words stand under. */
  readonly section: string;
  /** The words that it stands for, as they are there; each quote lies within one statement. */
  readonly source: readonly string[];
  /** What a test proves, in one line. */
  readonly behavior: string;
}

type Part = Readonly<Record<string, Requirement>>;

type Ids<P> = P extends unknown ? keyof P & string : never;

/** Requirements that stand under one heading. */
export function under<K extends string>(
  section: string,
  entries: Readonly<Record<K, Omit<Requirement, "section">>>,
): Readonly<Record<K, Requirement>> {
  const named = Object.entries<Omit<Requirement, "section">>(entries).map(([id, entry]) => [id, { section, ...entry }]);
  return Object.fromEntries(named) as Record<K, Requirement>;
}

/** Puts parts of the manifest together. Throws for an id that two of them have. */
export function assemble<P extends readonly Part[]>(...parts: P): Readonly<Record<Ids<P[number]>, Requirement>> {
  const all: Record<string, Requirement> = {};
  for (const [id, requirement] of parts.flatMap((part) => Object.entries(part))) {
    if (Object.hasOwn(all, id)) throw new Error(`two requirements have the id ${id}`);
    all[id] = requirement;
  }
  return all as Record<Ids<P[number]>, Requirement>;
}
