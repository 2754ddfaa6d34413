/** Whether everything runs (`npm run test:all`), or what a change is tried with (`npm test`). */
export const EVERYTHING = process.env.TEST_EXTENT === "everything";

/** How many generated cases run: all of these where everything does, otherwise a tenth of them. */
export function cases(all: number): number {
  return EVERYTHING ? all : Math.ceil(all / 10);
}

/** Seed of all generated cases of a run: equal seeds make equal cases. */
export const SEED = Number(process.env.FUZZ_SEED);

/** The rows of a table of cases that run: all of them where everything does, otherwise every third, others with another seed. */
export function sampleOf<T extends readonly unknown[] | readonly [unknown]>(rows: readonly T[]): T[];
export function sampleOf<T>(rows: readonly T[]): T[];
export function sampleOf<T>(rows: readonly T[]): T[] {
  const chosen = SEED % Math.min(3, rows.length);
  return rows.filter((_, index) => EVERYTHING || index % 3 === chosen);
}
