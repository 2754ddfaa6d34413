import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { endpoint } from "../requirements/support/endpoints.ts";
import { committedDocument, operationsOf } from "./committed.ts";
import { openServers, PROVOKED, type Servers } from "./provoked.ts";

let servers: Servers;

beforeAll(async () => {
  servers = await openServers();
});

afterAll(() => servers.close());

const OPERATIONS = operationsOf(committedDocument()).map(({ operation }) => operation);

/** 408 takes minutes to come about; it is written where 431 is. */
const UNTRIED = new Set(["408"]);

describe("the document has every operation with every status it can give", () => {
  it.each(OPERATIONS)("$operationId gives each status of the document", async ({ operationId, responses }) => {
    for (const status of Object.keys(responses).filter((candidate) => !UNTRIED.has(candidate))) {
      const provoke = PROVOKED[Number(status)];
      if (!provoke) throw new Error(`nothing provokes ${status}`);
      // Whether the reply is as documented is checked where it is read.
      const reply = await provoke(servers, endpoint(operationId));
      expect([reply.status, reply.body], operationId).toEqual([Number(status), expect.any(String)]);
    }
  });

  it.each(OPERATIONS)(
    "$operationId says so where it gives a status that others give",
    async ({ operationId, responses }) => {
      const others = Object.keys(PROVOKED).filter((status) => !Object.hasOwn(responses, status) && status !== "404");
      for (const status of others) {
        const reply = await PROVOKED[Number(status)]?.(servers, endpoint(operationId));
        expect(Object.keys(responses), operationId).toContain(String(reply?.status));
      }
    },
  );

  it("the warning about a flag without effect is documented where it comes, and comes", async () => {
    const reply = await servers.world.http({
      method: "POST",
      path: "/trading/halt",
      headers: { "Content-Type": "application/json" },
      body: '{"projectionPath":"Account[GOLD]","cancelOrders":true}',
    });
    expect(reply.headers["x-admin-warning"]).toMatch(/^cancelOrders was ignored/);
  });
});
