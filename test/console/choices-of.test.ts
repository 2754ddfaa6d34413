import { describe, expect, it } from "vitest";
import { choicesOf } from "../../src/console/page/choices-of.ts";

describe("of what a browser has stored, the console takes what has the shape of its own choices", () => {
  const FOREIGN = [
    "null",
    "7",
    '"nodes"',
    "[1]",
    '{"positions":7}',
    '{"nodes":"Account[GOLD]"}',
    '{"nodes":{"length":3}}',
    '{"nodes":7,"positions":{"toString":1},"risk":["Account"]}',
    '{"__proto__":{"nodes":["Account[GOLD]"]},"other":1}',
    JSON.stringify({ positions: "x".repeat(1_001), risk: "" }),
  ];
  it.each(FOREIGN)("and nothing of %s", (text) => {
    expect(choicesOf(JSON.parse(text))).toEqual({});
  });

  it("nodes that are texts, the last 50 of them", () => {
    const nodes = [null, "Account[GOLD]", 7, ["x"], "", "x".repeat(1_001), "Account[IRON]"];
    expect(choicesOf({ nodes, risk: 1 })).toEqual({ nodes: ["Account[GOLD]", "Account[IRON]"] });
    const many = Array.from({ length: 1_000 }, (_, at) => `Account[${at}]`);
    expect(choicesOf({ nodes: many }).nodes).toEqual(many.slice(-50));
  });

  it("and all of its own", () => {
    const own = { positions: "Account/Symbol", risk: "Account", nodes: ["Account[GOLD]"] };
    expect(choicesOf({ ...own, evil: "x" })).toEqual(own);
  });
});
