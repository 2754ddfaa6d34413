import { expect, it } from "vitest";
import { grouped } from "../../src/core/values/basics.ts";

it.each([0, 7, 999, 1_000, 1_024, 123_456, 1_000_000, 98_765_432])("a number is grouped as in English: %i", (count) => {
  expect(grouped(count)).toBe(count.toLocaleString("en"));
});
