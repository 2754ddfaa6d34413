import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { CONTRACT_NAME } from "../../transports/json-rpc/contract.ts";
import { requireCommand } from "../cli/command.ts";
import { Workplace } from "../cli/workplace.ts";
import { javaExample } from "../support/java-example.ts";
import { request } from "./bus-messages.ts";
import { ask, dial } from "./python-engine-gateway.ts";
import { type ServingProcess, startServing } from "./serving-process.ts";

const LANDMARKS = fileURLToPath(new URL("../../examples/java-engine/landmarks.yaml", import.meta.url));
const TOKEN = "token-of-the-test";

let java: readonly string[];
let engine: ServingProcess;

beforeAll(async () => {
  await requireCommand();
  // Maven fetches some six megabytes the first time.
  java = await javaExample("java-engine");
}, 600_000);

beforeEach(async () => {
  engine = await start(["--listen", "127.0.0.1:0", "--token-env", "ENGINE_TOKEN"]);
});

afterEach(() => engine?.close());

function start(options: readonly string[]): Promise<ServingProcess> {
  const env = { PATH: process.env.PATH, ENGINE_TOKEN: TOKEN };
  return startServing("java", [...java, "small.Small", ...options], { env }, /^engine listening on (ws:\/\/\S+)$/m);
}

describe("D-ENG 46: the Java starter, in front of an engine that exists, with five operations", () => {
  let workplace: Workplace;

  beforeAll(() => {
    workplace = new Workplace();
    workplace.write("token", `${TOKEN}\n`);
  });

  afterAll(() => workplace?.close());

  /** The command of the README. */
  async function judge(...landmarks: readonly string[]) {
    const command = ["conformance", engine.url, "--token-file", "token", ...landmarks, "-o", "json"];
    const { code, stdout } = await workplace.run(command);
    return { code, ...JSON.parse(stdout) };
  }

  it("no case of the conformance kit fails, with landmarks or without; the rest is not applicable", async () => {
    expect(await judge("--landmarks", LANDMARKS)).toMatchObject({ code: 0, failed: 0, passed: 20 });
    const { code, failed, passed } = await judge();
    expect({ code, failed }).toEqual({ code: 0, failed: 0 });
    expect(passed).toBeLessThan(20);
  }, 180_000);

  it("the halt of a path, a foreign filter and an operation that it lacks are refused as such; a double is rounded to a price", async () => {
    const transport = await dial({ url: engine.url, token: TOKEN });
    try {
      const halted = { projectionPath: "Account[GOLD]", reason: "drill", cancelOrders: false };
      const message = "only the whole system can be halted";
      expect(await ask(transport, "haltTrading", halted)).toMatchObject({ ok: false, refusal: "rejected", message });
      const filters = { projection: "Account/Symbol", account: "GOLD" };
      expect(await ask(transport, "listPositions", { ...filters, traderId: "T1" })).toMatchObject({
        refusal: "rejected",
      });
      expect(await ask(transport, "listServices", {})).toMatchObject({ ok: false, refusal: "unsupported" });
      expect(await ask(transport, "listPositions", filters)).toMatchObject({
        ok: true,
        result: [{ projection: "Account[GOLD]/Symbol[AAPL]", averageCost: "187.25", realizedPnL: null }],
      });
    } finally {
      await transport.close();
    }
  });

  it("says goodbye with 1001 on SIGTERM", async () => {
    const headers = { Authorization: `Bearer ${TOKEN}` };
    const socket = new WebSocket(engine.url, [CONTRACT_NAME], { headers });
    await once(socket, "open");
    // The engine knows a gateway that it has answered.
    socket.send(request(1, "describeEngine", {}));
    await once(socket, "message");
    const closed = once(socket, "close");
    await engine.terminate();
    expect((await closed)[0]).toBe(1001);
  });

  it("does not start with an option that it does not have, and says which there are", async () => {
    await expect(start(["--port", "8989"])).rejects.toThrow(
      "The engine cannot start: options, each with a value: --listen, --token-env",
    );
  });
});
