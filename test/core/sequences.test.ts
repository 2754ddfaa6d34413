import { expect, it } from "vitest";
import { Sequences } from "../../src/core/load/concurrency.ts";
import { Gate } from "../../src/core/load/gate.ts";
import { readJsonBody } from "../../src/http/json-body.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";

it("D-LOAD 2: tasks of one key run one after the other, those of others meanwhile, whether they fail or not", async () => {
  const sequences = new Sequences();
  const order: string[] = [];
  const task = (name: string) => async () => {
    order.push(`${name} begins`);
    await undefined;
    order.push(`${name} ends`);
    if (name === "a1") throw new Error("it fails");
    return name;
  };
  const [a1, a2, b1] = [["a", "a1"] as const, ["a", "a2"] as const, ["b", "b1"] as const].map(([key, name]) =>
    sequences.run(key, task(name)),
  );
  await expect(a1).rejects.toThrow("it fails");
  expect(await Promise.all([a2, b1])).toEqual(["a2", "b1"]);
  expect(order.filter((step) => step.startsWith("a"))).toEqual(["a1 begins", "a1 ends", "a2 begins", "a2 ends"]);
  expect(order.indexOf("b1 begins")).toBeLessThan(order.indexOf("a1 ends"));
});

it("D-LOAD 2: of the long bodies of a user one is parsed at a time, so that it alone is held in both forms", async () => {
  // In each turn of this gate there is time for one step.
  const gate = new Gate(new ManualClock(), 0);
  const sequences = new Sequences();
  const room = { take: () => {}, release: () => {} };
  const order: string[] = [];
  const parse = async (name: string, user: string, elements: number): Promise<void> => {
    const bytes = Buffer.from(JSON.stringify(Array.from({ length: elements }, () => "a text")));
    const request = {
      method: "POST",
      target: "/",
      address: undefined,
      header: (header: string) => ({ "content-type": "application/json", "content-length": `${bytes.length}` })[header],
      readBody: async () => ({ kind: "bytes", bytes }) as const,
    };
    const reading = {
      maxBytes: 10_000_000,
      room,
      gate,
      user,
      priority: "other",
      maxContainers: 10,
      sequences,
    } as const;
    await readJsonBody(request, reading);
    order.push(name);
  };
  await Promise.all([parse("long", "alice", 20_000), parse("short", "alice", 2_000), parse("other", "bob", 2_000)]);
  expect(order).toEqual(["other", "long", "short"]);
});
