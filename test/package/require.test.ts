import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ENTRIES, readJson, requireBuild } from "./build.ts";
import { type Consumer, openConsumer } from "./consumer.ts";

describe("D-PKG 1: ESM only, and require() works", () => {
  let consumer: Consumer;

  beforeAll(() => {
    requireBuild();
    consumer = openConsumer();
  });

  afterAll(() => consumer?.close());

  /** Runs a CommonJS program; answers the JSON that it prints. */
  async function run(name: string, program: string): Promise<unknown> {
    const { code, stdout, stderr } = await consumer.node("--no-warnings", consumer.write(`${name}.cjs`, program));
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    return JSON.parse(stdout);
  }

  it("as the package says", () => {
    expect(readJson("package.json")).toMatchObject({ type: "module", engines: { node: ">=20.19" } });
  });

  it("of every entry, which is the module that import gives", async () => {
    const specifiers = ENTRIES.map(({ specifier }) => specifier);
    const same = await run(
      "same",
      `const specifiers = ${JSON.stringify(specifiers)};
      const required = specifiers.map((specifier) => require(specifier));
      Promise.all(specifiers.map((specifier) => import(specifier))).then((imported) => {
        const differs = (module, n) => Object.keys(imported[n]).some((name) => imported[n][name] !== module[name]);
        console.log(JSON.stringify(required.map((module, n) => Object.keys(module).length > 0 && !differs(module, n))));
      });`,
    );
    expect(same).toEqual(specifiers.map(() => true));
  });

  it("with one AdminError: errors of an imported entry are instances of the required class", async () => {
    const found = await run(
      "error",
      `const { AdminError, principal } = require("trading-admin-api");
      const { TransportError } = require("trading-admin-api/extend");
      (async () => {
        const { startTestRig } = await import("trading-admin-api/testing");
        const { InProcessBus } = await import("trading-admin-api/transports/in-process");
        const { api, close } = await startTestRig();
        const denied = await api.as(principal("viewer")).haltTrading().catch((error) => error);
        await close();
        let lost;
        try { new InProcessBus().exchange({}); } catch (error) { lost = error; }
        console.log(JSON.stringify([denied instanceof AdminError, denied.code, lost instanceof TransportError, lost.fault]));
      })();`,
    );
    expect(found).toEqual([true, "PERMISSION_DENIED", true, "unavailable"]);
  });
});
