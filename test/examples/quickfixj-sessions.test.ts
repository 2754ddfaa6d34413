import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ClientSessions, casesOf } from "../conformance/client-sessions.ts";
import { passes } from "../conformance/passes.ts";
import { JavaProgram } from "../support/java-program.ts";
import { quickFixClient } from "../support/quickfixj.ts";

let engine: ClientSessions;
let clients: readonly JavaProgram[] = [];

beforeAll(async () => {
  const program = await quickFixClient();
  engine = await ClientSessions.start();
  clients = engine.ports.map(({ port, clients }) => new JavaProgram([...program, String(port), ...clients]));
  await engine.allLoggedOn();
  // Maven fetches some twenty megabytes the first time.
}, 600_000);

afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await engine?.close();
});

describe("D-ENG 35: the simulated engine passes the conformance kit while QuickFIX/J clients have all its FIX sessions", () => {
  for (const one of casesOf(() => engine)) it(one.name, () => passes(one), 60_000);

  it("and all are back in the end, with equal numbers at both ends", async () => {
    await engine.allLoggedOn();
    for (const [at, { gateway, clients: names }] of engine.ports.entries()) {
      const difference = async (): Promise<unknown> => {
        const [outbound = 0, inbound = 0] = (await clients[at]?.numbers()) ?? [];
        const session = (await engine.read()).find(
          ({ gatewayName, targetId }) => gatewayName === gateway && targetId === names[0],
        );
        return [gateway, outbound - (session?.inboundSequence ?? 0), inbound - (session?.outboundSequence ?? 0)];
      };
      await expect.poll(difference).toEqual([gateway, 0, 0]);
    }
  });
});
