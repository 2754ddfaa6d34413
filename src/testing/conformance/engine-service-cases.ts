import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import type { Output } from "../../core/operations/table.ts";
import { eachApplicable, need } from "./applicable.ts";
import { casesAbout, cleaningUp, type EngineCheck, type EngineClient } from "./engine-client.ts";
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

/** Fields of a service that neither the cases nor the network change. */
function identity({ name, type, system, dma }: Service): Partial<Service> {
  return { name, type, system, dma };
}

/** The name in the other case; with a letter more where it has no cases. */
function swapCase(name: string): string {
  const other = name === name.toLowerCase() ? name.toUpperCase() : name.toLowerCase();
  return other === name ? `${name}x` : other;
}

async function enabledExcept(engine: EngineClient, except: string): Promise<string[]> {
  const services = await engine.call("listServices", {});
  return services.filter(({ name, enabled }) => enabled && name !== except).map(({ name }) => name);
}

function anyService({ connector, algorithm }: EngineLandmarks): string {
  return need(connector ?? algorithm, "service");
}

/** A check that disables a service: it is enabled before, which shows that it can be, and afterwards. */
function switching(
  serviceOf: (landmarks: EngineLandmarks) => string,
  check: (engine: EngineClient, name: string) => Promise<void>,
): EngineCheck {
  return async (engine, landmarks) => {
    const name = serviceOf(landmarks);
    await setEnabled(engine, name, true);
    await cleaningUp(
      () => check(engine, name),
      () => setEnabled(engine, name, true),
    );
  };
}

async function checkEnabling(engine: EngineClient, name: string): Promise<void> {
  for (const enabled of [false, false, true, true]) {
    await setEnabled(engine, name, enabled);
    assert.equal((await find(engine, name)).enabled, enabled, "the service in the list");
  }
}

async function checkOrder(engine: EngineClient, name: string): Promise<void> {
  for (const [first, second] of [
    ["enableService", "disableService"],
    ["disableService", "enableService"],
  ] as const) {
    const commands = Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? first : second));
    await Promise.all(commands.map((command) => engine.call(command, { name })));
    await pause(50);
    await untilEnabled(engine, name, second === "enableService");
  }
}

const OF_ONE_SERVICE = ["getService", "disableService", "enableService"] as const;

/** Services (specification, "Services"). What a case leaves disabled is enabled. */
export const serviceCases = casesAbout("services", {
  "each service is listed once, and one service reads as in the list": async (engine) => {
    const listed = (await engine.call("listServices", {})).map(({ name }) => name);
    assert.equal(new Set(listed).size, listed.length, `a name is listed twice: ${listed.join(", ")}`);
    for (const name of listed) {
      assert.deepEqual(identity(await engine.call("getService", { name })), identity(await find(engine, name)));
    }
  },
  "a connector has a status": async (engine, { connector }) => {
    const name = need(connector, "connector");
    assert.notEqual((await find(engine, name)).status, null, `status of the connector ${name}`);
  },
  "an algorithm has no status": async (engine, { algorithm }) => {
    const name = need(algorithm, "algorithm");
    assert.equal((await find(engine, name)).status, null, `status of the algorithm ${name}`);
  },
  "a connector is disabled and enabled, which is seen then; twice is not an error": switching(
    ({ connector }) => need(connector, "connector"),
    checkEnabling,
  ),
  "an algorithm is disabled and enabled, which is seen then; twice is not an error": switching(
    ({ algorithm }) => need(algorithm, "algorithm"),
    checkEnabling,
  ),
  "disabling a service changes no other": switching(anyService, async (engine, name) => {
    const before = await enabledExcept(engine, name);
    await setEnabled(engine, name, false);
    assert.deepEqual(await enabledExcept(engine, name), before, "the other services that are enabled");
  }),
  "commands that are sent without waiting are applied in their order": switching(anyService, checkOrder),
  "an unknown name is not found; names are compared exactly": async (engine, { connector, algorithm }) => {
    const known = [connector, algorithm].filter((name) => name !== undefined);
    const similar = known.flatMap((name) => [`${name} `, swapCase(name)]);
    await eachApplicable(OF_ONE_SERVICE, async (operation) => {
      for (const name of [...UNKNOWN_NAMES, ...similar]) await engine.refused(operation, { name }, "not-found");
    });
  },
});
