import { expect } from "vitest";
import type { OperationName } from "../../../src/core/operations/table.ts";
import { ENDPOINTS } from "../../requirements/support/endpoints.ts";
import { settle } from "../../requirements/support/responses.ts";
import type { Case } from "../bench.ts";

type Call = readonly [OperationName, Readonly<Record<string, unknown>>];

/** Calls that use what the usual ones leave out. */
const FULL: readonly Call[] = [
  ["getTradingStatus", { projectionPath: "Account[GOLD]/Symbol[EUR/USD]" }],
  ["haltTrading", { projectionPath: "Account[PENSION]", reason: 'Drill "A" 100%', cancelOrders: true }],
  ["resumeTrading", { projectionPath: "Account[PENSION]", reason: "Fin de l'exercice, über" }],
  ["getRiskTable", { projection: "Account/Symbol" }],
  ["listPositions", { projection: "Account/Symbol", account: "GOLD", symbol: "EUR/USD" }],
  [
    "adjustPosition",
    {
      projectionPath: "Account[GOLD]/Symbol[AAPL]",
      size: "-2.50",
      relative: true,
      averageCost: "1",
      realizedPnL: "NaN",
    },
  ],
  ["disableService", { name: "VWAP", reason: "Drill" }],
  ["enableService", { name: "VWAP", reason: "Drill" }],
];

const USUAL = ENDPOINTS.map(({ name, input }): Call => [name, input]);
const EMPTY = new Set<string>(ENDPOINTS.flatMap(({ name, empty }) => (empty ? [name] : [])));

export const VALUES: readonly Case[] = [
  {
    proves: "calls every operation: the engine is asked and answers the same as without it, empty 200 included",
    async run({ client, world, generator: { shapes }, lastRequest }) {
      expect(Object.keys(client).sort()).toEqual(ENDPOINTS.map(({ name }) => name).sort());
      for (const [name, input] of [...USUAL, ...FULL]) {
        const { status, data } = await client[name](input);
        const asked = lastRequest();
        const answer = await world.call(name, input);
        expect({ name, asked }).toEqual({ name, asked: lastRequest() });
        const expected = EMPTY.has(name) ? shapes.emptyData.value : answer.json;
        expect({ name, status, data }).toEqual({ name, status: answer.status, data: expected });
        expect(status).toBe(200);
      }
    },
  },
  {
    proves: "a command without its optional body is taken",
    async run({ client, generator: { shapes }, lastRequest }) {
      expect(await client.resumeTrading()).toEqual({ status: 200, data: shapes.emptyData.value });
      expect(lastRequest()).toEqual({
        method: "resumeTrading",
        input: { projectionPath: "", reason: "Trading resumed" },
      });
    },
  },
  {
    proves: "a text that may be null is null, and the text once there is one",
    async run({ client, world }) {
      const node = { projectionPath: "Account[SILVER]" };
      const before = await client.getTradingStatus(node);
      expect(before).toEqual({ status: 200, data: { ...node, halted: false, reason: null } });
      await client.haltTrading({ ...node, reason: "Feed is stale" });
      settle(world);
      const after = await client.getTradingStatus(node);
      expect(after).toEqual({ status: 200, data: { ...node, halted: true, reason: "Feed is stale" } });
    },
  },
  {
    proves: "a number that may be null is null or a number",
    async run({ client }) {
      const connected = await client.getFixSession({ gateway: "VENUES", session: "CME1" });
      expect(connected.data).toMatchObject({ remotePort: 15002, connectTimestamp: 1_767_605_400_000 });
      const away = await client.getFixSession({ gateway: "VENUES", session: "XETRA1" });
      expect(away.data).toMatchObject({ remotePort: null, connectTimestamp: null });
    },
  },
  {
    proves: "an enumeration that may be null is null or one of its values",
    async run({ client }) {
      const statuses = [];
      for (const name of ["SIM", "XETRA1", "TWAP"]) statuses.push((await client.getService({ name })).data);
      expect(statuses).toMatchObject([{ status: "Connected" }, { status: "Disconnected" }, { status: null }]);
    },
  },
  {
    proves: "a map keeps its names and its nulls, in requests and in answers",
    async run({ client, lastRequest }) {
      const limits = { MaxOrderNotional: null, MaxOpenOrdersCount: "7" };
      const command = { type: "INSERT", conditions: { Account: "HEDGE/1 a" }, limits };
      const update = { projection: "Account", commands: [command] };
      const { status, data } = await client.updateRiskTable(update);
      expect(lastRequest()).toEqual({ method: "updateRiskTable", input: update });
      const rows = expect.arrayContaining([
        { conditions: { Account: "*" }, limits: { MaxOrderNotional: "50000000", MaxOpenOrdersCount: null } },
        { conditions: { Account: "HEDGE/1 a" }, limits },
      ]);
      expect({ status, data }).toEqual({ status: 200, data: { projection: "Account", rows } });
    },
  },
];
