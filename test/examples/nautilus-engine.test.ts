import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { requireCommand } from "../cli/command.ts";
import { Workplace } from "../cli/workplace.ts";
import { ask, dial } from "./python-engine-gateway.ts";
import { type ServingProcess, startServing } from "./serving-process.ts";

const FOLDER = fileURLToPath(new URL("../../examples/nautilus-engine", import.meta.url));
const PYTHON = process.env.NAUTILUS_PROGRAM;
const TOKEN = "token-of-the-test";

const ENVIRONMENT = { PATH: process.env.PATH, PYTHONDONTWRITEBYTECODE: "1", ENGINE_TOKEN: TOKEN };
const INSTRUMENT = { Symbol: "EUR/USD.SIM" };

/** Sets a limit on the adapter of a node of which nothing is real but its instruments and the type of the account; prints the refusal. */
const LIMIT_OF_ACCOUNT = `
import sys
from types import SimpleNamespace
import engine
account = {"none": None, "margin": SimpleNamespace(is_margin_account=True)}[sys.argv[1]]
cache = SimpleNamespace(instruments=lambda: engine.INSTRUMENTS, account_for_venue=lambda venue: account)
node = SimpleNamespace(cache=cache, kernel=SimpleNamespace(risk_engine=None))
try:
    engine.Limits(node).update("Symbol", [{"type": "UPDATE", "conditions": {"Symbol": "EUR/USD.SIM"}, "limits": {"MaxOrderNotional": "500"}}])
except Exception as refusal:
    print(refusal)
`;

/** How often a text stands in another. */
function count(text: string, part: string): number {
  return text.split(part).length - 1;
}

describe.skipIf(!PYTHON)(
  "D-ENG 41: a running NautilusTrader node behind the contract (where NAUTILUS_PROGRAM names a Python that has it)",
  () => {
    let engine: ServingProcess;

    beforeAll(async () => {
      await requireCommand();
      const options = ["engine.py", "--listen", "127.0.0.1:0", "--token-env", "ENGINE_TOKEN"];
      engine = await startServing(
        PYTHON ?? "",
        options,
        { cwd: FOLDER, env: ENVIRONMENT },
        /^engine listening on (ws:\/\/\S+)$/m,
      );
    }, 180_000);

    afterAll(() => engine?.close());

    it("passes each case of the conformance kit that it does not lack an operation or a name for", async () => {
      const workplace = new Workplace();
      try {
        workplace.write("token", `${TOKEN}\n`);
        const landmarks = join(FOLDER, "landmarks.yaml");
        const judge = ["conformance", engine.url, "--token-file", "token", "--landmarks", landmarks, "-o", "json"];
        const { code, stdout } = await workplace.run(judge);
        const { passed, failed } = JSON.parse(stdout);
        expect({ code, failed }).toEqual({ code: 0, failed: 0 });
        expect(passed).toBeGreaterThan(40);
      } finally {
        await workplace.close();
      }
    }, 240_000);

    it("a halt denies each new order and cancels those that work; a resume lets orders be filled again", async () => {
      const transport = await dial({ url: engine.url, token: TOKEN });
      const openOrders = async () => {
        const reply = await ask(transport, "listPositions", { projection: "Symbol" });
        return reply.ok
          ? (reply.result as { openBuySize: string }[]).map(({ openBuySize }) => openBuySize)
          : reply.message;
      };
      try {
        await expect.poll(openOrders).toEqual(["1000", "1000"]);
        const denied = count(engine.output(), "TradingState.HALTED");
        await ask(transport, "haltTrading", { projectionPath: "", reason: "drill", cancelOrders: true });
        await expect.poll(openOrders).toEqual(["0", "0"]);
        await expect.poll(() => count(engine.output(), "TradingState.HALTED")).toBeGreaterThan(denied);
        const filled = count(engine.output(), "filled");
        await ask(transport, "resumeTrading", { projectionPath: "", reason: "done" });
        await expect.poll(() => count(engine.output(), "filled")).toBeGreaterThan(filled);
      } finally {
        await transport.close();
      }
    });

    it("an order above the limit of its instrument is denied, until the limit is taken away", async () => {
      const transport = await dial({ url: engine.url, token: TOKEN });
      const limit = async (value: string | null) => {
        const command = { type: "UPDATE", conditions: INSTRUMENT, limits: { MaxOrderNotional: value } };
        return ask(transport, "updateRiskTable", { projection: "Symbol", commands: [command] });
      };
      const denied = () => count(engine.output(), "denied Taker-EURUSD NOTIONAL_EXCEEDS_MAX_PER_ORDER");
      const filled = () => count(engine.output(), "filled Taker-EURUSD");
      try {
        expect(await limit("500")).toMatchObject({ ok: true });
        const [deniedBefore, filledBefore] = [denied(), filled()];
        await expect.poll(denied).toBeGreaterThan(deniedBefore + 1);
        // One that was accepted before the limit may have been filled.
        expect(filled()).toBeLessThan(filledBefore + 2);
        await limit(null);
        const filledUnderLimit = filled();
        await expect.poll(filled).toBeGreaterThan(filledUnderLimit);
      } finally {
        await transport.close();
      }
    });

    it.each(["margin", "none"])(
      "a limit that the risk engine would ignore is refused (account: %s)",
      async (account) => {
        const options = { cwd: FOLDER, env: ENVIRONMENT };
        const { stdout } = await promisify(execFile)(PYTHON ?? "", ["-c", LIMIT_OF_ACCOUNT, account], options);
        expect(stdout).toBe('"EUR/USD.SIM": NautilusTrader enforces limits on cash accounts only\n');
      },
    );

    it("an operation that it lacks, and the halt of a path, are refused as such", async () => {
      const transport = await dial({ url: engine.url, token: TOKEN });
      try {
        const path = { projectionPath: "Symbol[EUR/USD.SIM]" };
        const adjusted = await ask(transport, "adjustPosition", { ...path, size: "1", relative: true });
        expect(adjusted).toMatchObject({ ok: false, refusal: "unsupported" });
        const halted = await ask(transport, "haltTrading", { ...path, reason: "drill", cancelOrders: false });
        expect(halted).toMatchObject({
          ok: false,
          refusal: "rejected",
          message: expect.stringContaining("only the whole system"),
        });
      } finally {
        await transport.close();
      }
    });
  },
);
