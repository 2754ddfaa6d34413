import { expect } from "vitest";
import type { Case } from "../bench.ts";

export const COMPILING: readonly Case[] = [
  {
    proves: "compiles strictly: callers must not skip null, misspell a field or send a wrong type",
    async run({ workshop }) {
      expect(workshop.errors).toEqual([]);
    },
  },
  {
    proves: "compiles with exactOptionalPropertyTypes as well",
    unable: { to: "strictest", proves: "does not compile with exactOptionalPropertyTypes, in code of its own alone" },
    async run({ generator, workshop }) {
      const files = [...new Set(workshop.strictestErrors.map((error) => error.slice(0, error.indexOf("("))))];
      expect(files).toEqual(generator.limits.strictest?.files ?? []);
    },
  },
];
