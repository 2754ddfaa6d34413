import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { NotAppliedError } from "../../src/client/errors.ts";
import { clientAt, failureOf, withWorld } from "./calls.ts";

const PROJECTION = "Source";

function limit(size: string) {
  const commands = [{ type: "UPDATE" as const, conditions: { Source: "*" }, limits: { MaxOrderSize: size } }];
  return { projection: PROJECTION, commands };
}

it("D-HTTP 38: an update with the entity tag of the table is applied, and fails with 412, not applied, once the table has changed", () =>
  withWorld(async (world, client) => {
    let ifMatch: string | undefined;
    const onEntityTag = (entityTag: string): void => {
      ifMatch = entityTag;
    };
    await client.getRiskTable({ projection: PROJECTION }, { onEntityTag });
    expect(ifMatch).toMatch(/^"[\w-]{43}"$/);
    await client.updateRiskTable(limit("77"), { ifMatch });
    const failure = await failureOf(client.updateRiskTable(limit("78"), { ifMatch }));
    expect(failure).toBeInstanceOf(NotAppliedError);
    expect(failure).toMatchObject({ status: 412, outcome: "not-applied" });
    expect(world.received("updateRiskTable")).toHaveLength(1);
    await client.getRiskTable({ projection: PROJECTION }, { onEntityTag });
    await client.updateRiskTable(limit("78"), { ifMatch });
    expect(world.received("updateRiskTable")).toHaveLength(2);
  }));

it("D-HTTP 38: a tag that a proxy has weakened as it compressed the table is sent as the strong one", async () => {
  const proxy = createServer((_request, response) => {
    response.writeHead(200, { "Content-Type": "application/json", ETag: 'W/"abc"' });
    response.end('{"projection":"Source","rows":[]}');
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void proxy.close());
  await once(proxy, "listening");
  const tags: string[] = [];
  const client = clientAt(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
  await client.getRiskTable({ projection: PROJECTION }, { onEntityTag: (tag) => tags.push(tag) });
  expect(tags).toEqual(['"abc"']);
});
