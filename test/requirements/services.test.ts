import { describe, expect } from "vitest";
import { verifies, verifiesHttp } from "../support/verifies.ts";
import type { HttpWorld, World } from "../support/world.ts";
import { verdict } from "./support/orders.ts";
import { EMPTY, expectEndpoint, expectError, expectOk, ok } from "./support/responses.ts";

interface Service {
  readonly name: string;
  readonly type: string;
  readonly system: boolean;
  readonly dma: boolean;
  readonly enabled: boolean;
  readonly status: string | null;
}

const CONNECTOR = { type: "Connector", system: false, dma: true, enabled: true, status: "Connected" };
const ALGORITHM = { type: "Algorithm", system: false, dma: false, enabled: true, status: null };
const TWAP = { name: "TWAP", ...ALGORITHM };
const ALL = [
  { name: "SIM", ...CONNECTOR },
  { name: "NASDAQ1", ...CONNECTOR },
  { name: "CME1", ...CONNECTOR },
  { name: "XETRA1", ...CONNECTOR, status: "Disconnected" },
  TWAP,
  { name: "VWAP", ...ALGORITHM },
  { name: "ICEBERG", ...ALGORITHM },
  { name: "SOR", ...ALGORITHM, dma: true },
  { name: "POSTRACK", ...ALGORITHM, system: true },
];

function to(world: World, destination: string): string {
  return verdict(world, { attributes: { Destination: destination } });
}

/** The value of one field for each service of the list. */
async function fieldOf(world: World, field: keyof Service): Promise<Record<string, unknown>> {
  const services = await ok<Service[]>(world.call("listServices"));
  return Object.fromEntries(services.map((service) => [service.name, service[field]]));
}

describe("service", () => {
  verifies("SERVICE-NAME", async (world) => {
    for (const { name } of await ok<Service[]>(world.call("listServices"))) {
      expect(await world.call("disableService", { name })).toEqual(EMPTY);
      const enabled = await fieldOf(world, "enabled");
      expect(Object.keys(enabled).filter((other) => !enabled[other])).toEqual([name]);
      expect(await world.call("enableService", { name })).toEqual(EMPTY);
    }
    expectOk(await world.call("listServices"), ALL);
  });

  verifies("SERVICE-TYPE", async (world) => {
    const types = await fieldOf(world, "type");
    expect(types).toMatchObject({ SIM: "Connector", XETRA1: "Connector", TWAP: "Algorithm", POSTRACK: "Algorithm" });
    expect(new Set(Object.values(types))).toEqual(new Set(["Connector", "Algorithm"]));
  });

  verifies("SERVICE-SYSTEM", async (world) => {
    const system = await fieldOf(world, "system");
    expect(Object.keys(system).filter((name) => system[name])).toEqual(["POSTRACK"]);
    expect(to(world, "POSTRACK")).toBe('system algorithm "POSTRACK" accepts no orders');
    expect(to(world, "TWAP")).toBe("accepted");
  });

  verifies("SERVICE-DMA", async (world) => {
    const dma = await fieldOf(world, "dma");
    expect(Object.keys(dma).filter((name) => dma[name])).toEqual(["SIM", "NASDAQ1", "CME1", "XETRA1", "SOR"]);
  });

  verifies("SERVICE-ENABLED", async (world) => {
    expect([(await fieldOf(world, "enabled")).SIM, to(world, "SIM")]).toEqual([true, "accepted"]);
    await world.call("disableService", { name: "SIM" });
    expect([(await fieldOf(world, "enabled")).SIM, to(world, "SIM")]).toEqual([false, 'service "SIM" is disabled']);
    await world.call("enableService", { name: "SIM" });
    expect([(await fieldOf(world, "enabled")).SIM, to(world, "SIM")]).toEqual([true, "accepted"]);
  });

  verifies("SERVICE-STATUS", async (world) => {
    expect(await fieldOf(world, "status")).toEqual({
      SIM: "Connected",
      NASDAQ1: "Connected",
      CME1: "Connected",
      XETRA1: "Disconnected",
      TWAP: null,
      VWAP: null,
      ICEBERG: null,
      SOR: null,
      POSTRACK: null,
    });
  });
});

describe("services", () => {
  verifiesHttp("SERVICES-LIST", async (world) => {
    expectOk(await expectEndpoint(world, "listServices"), ALL);
  });

  verifiesHttp("SERVICES-GET", async (world) => {
    expectOk(await expectEndpoint(world, "getService"), TWAP);
    for (const service of ALL) expectOk(await world.http({ path: `/services/${service.name}` }), service);
    expectError(await world.http({ path: "/services/NOPE" }), 404, 'Unknown service "NOPE"');
  });

  verifiesHttp("SERVICES-DISABLE-ENDPOINT", async (world) => {
    await expectEndpoint(world, "disableService");
    expectOk(await world.call("getService", { name: "TWAP" }), { ...TWAP, enabled: false });
  });

  verifiesHttp("SERVICES-DISABLE-DEFAULT-REASON", async (world) => {
    await expectDefaultReason(world, "disable", "Service disabled");
  });

  verifies("SERVICES-DISABLE-ANSWER", async (world) => {
    expect(await world.call("disableService", { name: "TWAP", reason: "too slow" })).toEqual(EMPTY);
    expect(await world.call("disableService", { name: "TWAP" })).toEqual(EMPTY);
  });

  verifiesHttp("SERVICES-ENABLE-ENDPOINT", async (world) => {
    await world.call("disableService", { name: "TWAP" });
    await expectEndpoint(world, "enableService");
    expectOk(await world.call("getService", { name: "TWAP" }), TWAP);
  });

  verifiesHttp("SERVICES-ENABLE-DEFAULT-REASON", async (world) => {
    await expectDefaultReason(world, "enable", "Service enabled");
  });

  verifies("SERVICES-ENABLE-ANSWER", async (world) => {
    expect(await world.call("enableService", { name: "TWAP", reason: "repaired" })).toEqual(EMPTY);
    expect(await world.call("enableService", { name: "TWAP" })).toEqual(EMPTY);
  });
});

/** No body, an empty one and one with a reason are all good; the reason is told to the engine and recorded. */
async function expectDefaultReason(world: HttpWorld, action: "enable" | "disable", fallback: string): Promise<void> {
  const request = { method: "POST", path: `/services/TWAP/${action}` };
  const headers = { "Content-Type": "application/json" };
  for (const [body, reason] of [
    [undefined, fallback],
    ["{}", fallback],
    ['{"reason":"as told"}', "as told"],
  ] as const) {
    const reply = await world.http(body === undefined ? request : { ...request, headers, body });
    expect(reply).toMatchObject({ status: 200, body: "" });
    expect(world.gate.seen.at(-1)?.input).toEqual({ name: "TWAP", reason });
    expect(world.audit.records.at(-1)).toMatchObject({ stage: "applied", target: "TWAP", reason });
  }
  expectError(await world.http({ ...request, headers, body: '{"reason":7}' }), 400, "reason: must be a string");
}
