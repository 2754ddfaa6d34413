import { expect, it } from "vitest";
import { breakablePieces } from "../../src/core/values/basics.ts";

it("a path may break behind a slash, and not within the name of a node", () => {
  expect(breakablePieces("Account[GOLD]/Symbol[AAPL]")).toEqual(["Account[GOLD]/", "Symbol[AAPL]"]);
});
