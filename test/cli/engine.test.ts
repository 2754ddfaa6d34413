import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type NatsServer, startNatsServer } from "../support/nats-server.ts";
import { type RawReply, type RawRequest, sendRaw } from "../support/raw-http.ts";
import { requireCommand, type Serving } from "./command.ts";
import { Workplace } from "./workplace.ts";

const PASSWORD = "correct horse 7 battery";
const TOKEN = "a-token-that-nobody-guesses";
const AUTHORIZATION = `Basic ${Buffer.from(`desk:${PASSWORD}`).toString("base64")}`;
const STATUS: RawRequest = { path: "/api/admin/v1/trading/status", authorization: AUTHORIZATION };
const HALT: RawRequest = { ...STATUS, method: "POST", path: "/api/admin/v1/trading/halt" };

let natsServer: NatsServer;
let workplace: Workplace;

beforeAll(async () => {
  requireCommand();
  natsServer = await startNatsServer();
});

afterAll(() => natsServer.stop());

beforeEach(() => {
  workplace = new Workplace();
  workplace.writeUser("desk", PASSWORD);
  workplace.write("token", `${TOKEN}\n`);
});

afterEach(() => workplace.close());

function gateway(...lines: readonly string[]): Promise<Serving> {
  workplace.write("application.yaml", ["server.port: 0", ...lines].join("\n"));
  return workplace.serve("--config", "application.yaml");
}

function statusOf(serving: Serving, request: RawRequest): () => Promise<RawReply["status"]> {
  return async () => (await sendRaw(serving.url, request)).status;
}

async function expectUp(serving: Serving): Promise<void> {
  await expect.poll(statusOf(serving, STATUS)).toBe(200);
}

describe("trading-admin engine, and a gateway that reaches it", () => {
  it("run over a WebSocket with a token: commands reach the engine, and get 503 without it", async () => {
    const engine = await workplace.engine("--listen", "ws://127.0.0.1:0", "--token-file", "token");
    expect(engine.stdout).toMatch(/^engine listening on ws:\/\/127\.0\.0\.1:[1-9]\d*\n/m);
    const link = ["admin.engine.transport: websocket", `admin.engine.url: ${engine.url}`];
    const serving = await gateway(...link, `admin.engine.token: ${TOKEN}`);
    await expectUp(serving);
    expect((await sendRaw(serving.url, HALT)).status).toBe(200);
    await expect
      .poll(async () => JSON.parse((await sendRaw(serving.url, STATUS)).body))
      .toMatchObject({ halted: true });

    expect(await engine.stop("SIGTERM")).toBe(0);
    expect(engine.stdout).toMatch(/\nstopped\n$/);
    await expect.poll(statusOf(serving, HALT)).toBe(503);

    await workplace.engine("--listen", engine.url, "--token-file", "token");
    await expectUp(serving);
    expect(serving.stdout + serving.stderr + engine.stdout + engine.stderr).not.toContain(TOKEN);
  });

  it("do not connect with a wrong token: 503, and the log says that the engine refused it", async () => {
    const engine = await workplace.engine("--listen", "ws://127.0.0.1:0", "--token-file", "token");
    const link = ["admin.engine.transport: websocket", `admin.engine.url: ${engine.url}`];
    const serving = await gateway(...link, "admin.engine.token: wrong");
    await expect.poll(() => serving.stdout).toContain("401");
    expect((await sendRaw(serving.url, STATUS)).status).toBe(503);
  });

  it("run over NATS: commands reach the engine, and get 503 without it", async () => {
    const engine = await workplace.engine("--nats", natsServer.url);
    expect(engine.stdout).toMatch(/^engine listening on nats:\/\/127\.0\.0\.1:\d+\n/m);
    const serving = await gateway("admin.engine.transport: nats", `admin.engine.url: ${natsServer.url}`);
    await expectUp(serving);
    expect((await sendRaw(serving.url, HALT)).status).toBe(200);
    expect(await engine.stop("SIGTERM")).toBe(0);
    await expect.poll(statusOf(serving, HALT)).toBe(503);
  });
});

async function expectRefused(args: readonly string[], reason: RegExp, exitCode: number): Promise<void> {
  const { code, stderr } = await workplace.run(["engine", ...args]);
  expect(code).toBe(exitCode);
  expect(stderr).toMatch(/^trading-admin: /);
  expect(stderr).toMatch(reason);
  expect(stderr).not.toMatch(/^\s+at /m);
}

describe("an engine that cannot start says why", () => {
  it.each([
    [[], /name one bus/, 2],
    [["--listen", "ws://127.0.0.1:0", "--nats", "nats://127.0.0.1:4222"], /name one bus/, 2],
    [["--listen", "8989"], /--listen: must be/, 2],
    [["--listen", "http://127.0.0.1:8989"], /must begin with ws:\/\/ or wss:\/\//, 2],
    [["--listen", "wss://127.0.0.1:0"], /--tls-certificate and --tls-private-key are needed/, 2],
    [["--listen", "ws://127.0.0.1:0", "--token-file", "nowhere"], /nowhere/, 2],
    [["--nats", "nats://127.0.0.1:1"], /127\.0\.0\.1:1/, 1],
    [["--listen", "ws://127.0.0.1:0", "--installation", "nowhere.yaml"], /nowhere\.yaml/, 1],
  ])("for %j", (args, reason, exitCode) => expectRefused(args, reason, exitCode));

  it("D-LINK 8: and does not listen beyond loopback without a token or client certificates", () =>
    expectRefused(["--listen", "ws://0.0.0.0:0"], /--token-file/, 2));
});
