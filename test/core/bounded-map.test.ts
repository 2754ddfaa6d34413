import { describe, expect, it } from "vitest";
import { BoundedMap } from "../../src/core/values/bounded-map.ts";

describe("a bounded map", () => {
  it("drops its oldest entry for one too many", () => {
    const map = new BoundedMap<string, number>(2);
    map.set("a", 1).set("b", 2).set("c", 3);
    expect([...map]).toEqual([
      ["b", 2],
      ["c", 3],
    ]);
  });

  it("keeps the place of an entry that is set again", () => {
    const map = new BoundedMap<string, number>(2);
    map.set("a", 1).set("b", 2).set("a", 3).set("c", 4);
    expect([...map.keys()]).toEqual(["b", "c"]);
  });

  it("makes an entry the newest one, and returns what was dropped for it", () => {
    const map = new BoundedMap<string, number>(2);
    expect(map.setNewest("a", 1)).toBeUndefined();
    expect(map.setNewest("b", 2)).toBeUndefined();
    expect(map.setNewest("a", 3)).toBeUndefined();
    expect(map.setNewest("c", 4)).toEqual(["b", 2]);
    expect([...map.values()]).toEqual([3, 4]);
  });

  it("drops nothing for a key that it has, also when it is full", () => {
    const map = new BoundedMap<undefined, number>(1);
    map.set(undefined, 1);
    expect(map.setNewest(undefined, 2)).toBeUndefined();
    expect(map.get(undefined)).toBe(2);
  });
});
