import fc from "fast-check";
import { cases, SEED } from "./extent.ts";

/** Set-up of every project: properties take the seed of the run, and try as many cases as it has time for. */
fc.configureGlobal({ seed: SEED, numRuns: cases(100) });
