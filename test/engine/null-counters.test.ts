import { expect, it } from "vitest";
import { z } from "zod";
import { busRecord, operations } from "../../src/core/operations/table.ts";
import { startTestRig } from "../../src/testing/rig.ts";

const session = { gateway: "OE1", session: "FIXCLIENT1" };

/** Everything in an output that may be null, null. */
function withNulls(name: Parameters<typeof busRecord>[1], output: unknown): unknown {
  const { output: schema } = busRecord(operations, name);
  const row = schema instanceof z.ZodArray ? schema.element : schema;
  const nullable = Object.entries((row as z.ZodObject).shape).filter(([, field]) => field instanceof z.ZodNullable);
  const nulls = Object.fromEntries(nullable.map(([key]) => [key, null]));
  expect(nullable.length).toBeGreaterThan(0);
  return Array.isArray(output) ? output.map((one) => ({ ...one, ...nulls })) : { ...(output as object), ...nulls };
}

it.each([
  ["listFixGateways", "/fix/gateways"],
  ["getFixGateway", "/fix/gateways/OE1"],
  ["listFixSessions", "/fix/gateways/OE1/sessions"],
  ["getFixSession", "/fix/gateways/OE1/sessions/FIXCLIENT1"],
] as const)(
  "D-ENG 31: %s of an engine that counts nothing: each row is shown, with nulls and without a warning",
  async (name, path) => {
    const rig = await startTestRig();
    const output = withNulls(name, rig.engine[name](session as never));
    Reflect.set(rig.engine, name, () => output);
    const { status, headers, json } = await rig.inject({ url: `/api/admin/v1${path}`, as: "viewer" });
    expect([status, headers["x-admin-warning"]]).toEqual([200, undefined]);
    expect(json()).toEqual(output);
    await rig.close();
  },
);

it("D-ENG 31: a command to a session without any number is confirmed by its status alone", async () => {
  const rig = await startTestRig();
  const disabled = withNulls("getFixSession", rig.engine.disableFixSession(session));
  Reflect.set(rig.engine, "disableFixSession", () => disabled);
  expect(await rig.as("chief").disableFixSession(session)).toEqual(disabled);
  expect(rig.audit.stages).toEqual(["intent", "applied"]);
  await rig.close();
});
