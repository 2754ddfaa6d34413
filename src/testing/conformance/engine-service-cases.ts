import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import type { Output } from "../../core/operations/table.ts";
import { cleaningUp, type EngineCase, type EngineClient } from "./engine-client.ts";
import type { EngineLandmarks } from "./engine-fixture.ts";

type Service = Output<"getService">;

/** Names that no engine has, those among them that trip up code that is not careful. */
const UNKNOWN_NAMES: readonly string[] = ["", "no such service", "a/b", "toString", "__proto__", "constructor"];

function untilEnabled(engine: EngineClient, name: string, enabled: boolean): Promise<void> {
  const what = `service "${name}" is ${enabled ? "enabled" : "disabled"}`;
  return engine.shows(what, "getService", { name }, (service) => service.enabled === enabled);
}

async function setEnabled(engine: EngineClient, name: string, enabled: boolean): Promise<void> {
  const operation = enabled ? "enableService" : "disableService";
  assert.equal(await engine.call(operation, { name, reason: "conformance" }), null, `result of ${operation}`);
  await untilEnabled(engine, name, enabled);
}

async function find(engine: EngineClient, name: string): Promise<Service> {
  const found = (await engine.call("listServices", {})).find((service) => service.name === name);
  assert.ok(found, `service "${name}" is not in the list`);
  return found;
}

/** What a service is, without what the cases and the network change. */
function identity({ name, type, system, dma }: Service): Partial<Service> {
  return { name, type, system, dma };
}

/** The name in the other case; with a letter more where it has no cases. */
function swapCase(name: string): string {
  const other = name === name.toLowerCase() ? name.toUpperCase() : name.toLowerCase();
  return other === name ? `${name}x` : other;
}

async function checkEnabling(engine: EngineClient, name: string): Promise<void> {
  for (const enabled of [false, false, true, true]) {
    await setEnabled(engine, name, enabled);
    assert.equal((await find(engine, name)).enabled, enabled, "the service in the list");
  }
}

async function enabledExcept(engine: EngineClient, except: string): Promise<string[]> {
  const services = await engine.call("listServices", {});
  return services.filter(({ name, enabled }) => enabled && name !== except).map(({ name }) => name);
}

const CHECKS: Readonly<Record<string, (engine: EngineClient, landmarks: EngineLandmarks) => Promise<void>>> = {
  "each service is listed once, and one service reads as in the list": async (engine) => {
    const listed = (await engine.call("listServices", {})).map(({ name }) => name);
    assert.equal(new Set(listed).size, listed.length, `a name is listed twice: ${listed.join(", ")}`);
    for (const name of listed) {
      assert.deepEqual(identity(await engine.call("getService", { name })), identity(await find(engine, name)));
    }
  },
  "a connector has a status, an algorithm has none": async (engine, { connector, algorithm }) => {
    assert.notEqual((await find(engine, connector)).status, null, `status of the connector ${connector}`);
    assert.equal((await find(engine, algorithm)).status, null, `status of the algorithm ${algorithm}`);
  },
  "a connector is disabled and enabled, which is seen then; twice is no error": (engine, { connector }) =>
    checkEnabling(engine, connector),
  "an algorithm is disabled and enabled, which is seen then; twice is no error": (engine, { algorithm }) =>
    checkEnabling(engine, algorithm),
  "disabling a service changes no other": async (engine, { connector }) => {
    const before = await enabledExcept(engine, connector);
    await setEnabled(engine, connector, false);
    assert.deepEqual(await enabledExcept(engine, connector), before, "the other services that are enabled");
  },
  "commands that are sent without waiting are applied in their order": async (engine, { algorithm }) => {
    for (const [first, second] of [
      ["enableService", "disableService"],
      ["disableService", "enableService"],
    ] as const) {
      const commands = Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? first : second));
      await Promise.all(commands.map((command) => engine.call(command, { name: algorithm })));
      await pause(50);
      await untilEnabled(engine, algorithm, second === "enableService");
    }
  },
  "an unknown name is not found; names are compared exactly": async (engine, { connector }) => {
    for (const name of [...UNKNOWN_NAMES, `${connector} `, swapCase(connector)]) {
      await engine.refused("getService", { name }, "not-found");
      await engine.refused("disableService", { name }, "not-found");
      await engine.refused("enableService", { name }, "not-found");
    }
  },
};

/** Services (specification, "Services"). What a case leaves disabled is enabled. */
export function serviceCases(landmarks: EngineLandmarks): EngineCase[] {
  return Object.entries(CHECKS).map(([name, check]) => ({
    name: `services: ${name}`,
    check: (engine) =>
      cleaningUp(
        () => check(engine, landmarks),
        async () => {
          for (const name of [landmarks.connector, landmarks.algorithm]) await setEnabled(engine, name, true);
        },
      ),
  }));
}
