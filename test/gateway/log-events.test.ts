import { expect, it, vi } from "vitest";
import { AdminError } from "../../src/core/errors.ts";
import { logEvents } from "../../src/core/log-events.ts";
import { startTestRig } from "../../src/testing/rig.ts";

it("D-LOG 9: of failures of one operation with one code 20 a minute have a line, the others are counted", async () => {
  const rig = await startTestRig();
  const lines: object[] = [];
  const write = (message: string, details: object = {}): void => void lines.push({ message, ...details });
  const close = logEvents(rig.api, { info: write, warn: write, error: write }, rig.clock);
  const away = new AdminError("INTERNAL", "The directory does not answer", { cause: new Error("ECONNREFUSED") });
  for (let time = 1; time <= 1_000; time += 1) rig.api.reportFailure(`r${time}`, away);
  rig.api.reportFailure("other", new AdminError("ENGINE_FAILED", "The engine failed"));
  expect(lines).toHaveLength(21);
  expect(lines[0]).toMatchObject({ requestId: "r1", code: "INTERNAL", cause: expect.stringContaining("ECONNREFUSED") });
  expect(lines.at(-1)).toMatchObject({ requestId: "other", code: "ENGINE_FAILED" });
  lines.pop();
  rig.api.reportFailure("cause", new AdminError(away.code, away.message, { cause: new Error("another one") }));
  expect(lines.at(-1)).toMatchObject({ requestId: "cause", cause: expect.stringContaining("another one") });
  const counted = { message: "980 more failures: The directory does not answer", requestId: "r21", count: 980 };
  rig.clock.advance(60_000);
  expect(lines.slice(21)).toEqual([{ ...counted, operation: null, code: "INTERNAL" }]);
  for (let time = 1; time <= 30; time += 1) rig.api.reportFailure(`s${time}`, away);
  await close();
  expect(lines.at(-1)).toMatchObject({ count: 11 });
  await rig.close();
});

it("D-VAL 11: equal faults of the engine's replies to one operation have a line a minute, and the others are counted", async () => {
  const rig = await startTestRig();
  const lines: object[] = [];
  const write = (message: string, details: object = {}): void => void lines.push({ message, ...details });
  const close = logEvents(rig.api, { info: write, warn: write, error: write }, rig.clock);
  const services = vi.spyOn(rig.engine, "listServices");
  services.mockReturnValue([{ name: "TWAP", type: "Algorithm", system: 0, dma: 0 } as never, null as never]);
  for (let time = 1; time <= 50; time += 1) await rig.as("chief", { requestId: `r${time}` }).listServices();
  const message =
    "The engine's reply breaks the contract: system of TWAP Algorithm (row left out), a row (row left out)";
  expect(lines).toEqual([{ message, requestId: "r1", operation: "listServices", fields: 2 }]);
  services.mockReturnValue([null as never]);
  await rig.as("chief").listServices();
  expect(lines).toHaveLength(2);
  rig.clock.advance(60_000);
  expect(lines.at(-1)).toMatchObject({ message: `49 more replies: ${message}`, count: 49 });
  await close();
  await rig.close();
});
