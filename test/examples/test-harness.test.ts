import { describe, expect, it } from "vitest";
import type { Ended } from "../package/consumer.ts";
import { installExample } from "./example.ts";

const STEP = "clock.advance(1_000);";

async function runHarness(change?: (code: string) => string): Promise<Ended> {
  const { consumer, file } = installExample("test-harness", change);
  try {
    return await consumer.node(file);
  } finally {
    consumer.close();
  }
}

describe("examples/test-harness.ts", () => {
  it("proves what it claims, without sockets", async () => {
    const { code, stdout, stderr } = await runHarness();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout.trim().split("\n")).toEqual([
      "ok: a halt is confirmed by the status, and working orders are cancelled",
      "ok: a halted engine refuses orders",
      "ok: a resumed engine accepts them again",
      "ok: without the permission nothing is halted, and the attempt is recorded",
      "ok: an engine that hangs gives 504 after 10 seconds, and the outcome is unknown",
      "ok: its late reply says what happened to the halt, and the status agrees",
    ]);
  });

  it("exits with 1 where the halt never comes into force", async () => {
    const { code, stdout, stderr } = await runHarness((source) => source.replace(STEP, ""));
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("AssertionError");
  });
});
