import { describe, expect, it } from "vitest";
import { junitText, verdictOf, verdictText } from "../../../src/cli/conformance/report.ts";

/** What a hostile engine can put into a message, and the most that is left of it. */
const LONG = "x".repeat(5_000_000);
const MOST = 2_100;

describe("conformance: what an engine replies makes no report of megabytes", () => {
  it.each([
    ["a difference", async () => Promise.reject(new Error(`expected 1, got ${LONG}`))],
    ["many lines", async () => Promise.reject(new Error("row differs\n".repeat(500_000)))],
    ["what is thrown as text", async () => Promise.reject(LONG)],
    ["why a case is not applicable", async () => `no algorithm ${LONG}`],
  ])("%s is cut, and says by how much", async (_what, run) => {
    const verdict = await verdictOf({ name: "engine: a case", run });
    expect(verdictText(verdict).length).toBeLessThan(10 * MOST);
    expect(verdictText(verdict)).toMatch(/\.\.\. and \d{7} more characters/);
    expect(junitText([verdict], "ws://engine", new Date(0)).length).toBeLessThan(3 * MOST);
  });

  it("and what is short stays whole", async () => {
    const verdict = await verdictOf({
      name: "engine: a case",
      run: () => Promise.reject(new Error("expected 1, got 2")),
    });
    expect(verdict).toMatchObject({ message: "expected 1, got 2" });
  });
});
