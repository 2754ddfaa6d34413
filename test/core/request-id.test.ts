import { describe, expect, it } from "vitest";
import { REQUEST_ID, requestIds } from "../../src/core/conventions.ts";

describe("D-HTTP 22: a generated request id", () => {
  it("is random digits of its source, a dash and a count, and valid as X-Request-Id", () => {
    const next = requestIds();
    const [first = "", second = ""] = [next(), next()];
    expect(first).toMatch(/^[0-9a-f]{18}-1$/);
    expect(second).toBe(first.replace(/1$/, "2"));
    expect(first).toMatch(REQUEST_ID);
  });

  it("is never that of another source", () => {
    const ids = Array.from({ length: 1_000 }, () => requestIds()());
    expect(new Set(ids).size).toBe(1_000);
  });
});
