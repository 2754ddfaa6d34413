/** Whether everything runs (`npm run test:all`), or what a change is tried with (`npm test`). */
export const EVERYTHING = process.env.TEST_EXTENT === "everything";

/** How many generated cases run: all of these where everything does, otherwise a tenth of them. */
export function cases(all: number): number {
  return EVERYTHING ? all : Math.ceil(all / 10);
}

/** Seed of all generated cases of a run: equal seeds make equal cases. */
export const SEED = Number(process.env.FUZZ_SEED);
