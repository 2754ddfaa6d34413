import { afterAll, beforeAll, expect, it } from "vitest";
import { type Engine, serveEngine } from "../../src/engine/index.ts";
import { openWebSocketBus, type WebSocketBus } from "../../transports/websocket.ts";
import { until } from "../support/until.ts";
import { requireCommand } from "./command.ts";
import { PASSWORD } from "./installation.ts";
import { Workplace } from "./workplace.ts";

type Row = Record<string, unknown>;

/** The engine's replies, which tests change. */
const replies: Record<string, unknown> = {};
let bus: WebSocketBus;
let workplace: Workplace;
let environment: Record<string, string>;

function session(sessionId: string, over: Row = {}): Row {
  const addresses = { localPort: null, remoteIp: null, remotePort: null };
  return {
    gatewayName: "OE1",
    sessionId,
    status: "Disconnected",
    ...addresses,
    inboundSequence: 1,
    outboundSequence: 1,
    ...over,
  };
}

function detail(over: Row = {}): Row {
  const counters = { messagesSent: 1, messagesReceived: 1, bytesSent: 1, bytesReceived: 1 };
  const times = { connectTimestamp: null, disconnectTimestamp: null };
  const names = { gatewayType: "OrderEntry", senderId: "ENGINE", targetId: "S1", localIp: null };
  return session("S1", { ...names, ...times, ...counters, ...over });
}

/** An engine in another language: it has the methods that there are replies to, and no types. */
const engine = new Proxy({} as Engine, {
  get: (_target, method: string) => (method in replies ? () => replies[method] : undefined),
});

beforeAll(async () => {
  requireCommand();
  bus = await openWebSocketBus({ host: "127.0.0.1", port: 0 });
  replies.listFixGateways = [
    { gatewayName: "OE1", gatewayType: "OrderEntry", updateTimestamp: null },
    { gatewayName: "OE2", gatewayType: "DropCopy", updateTimestamp: 1 },
  ];
  await serveEngine(engine, bus);
  workplace = new Workplace();
  workplace.writeUser("desk", PASSWORD, ["CONTROL_FIX_SESSION", "ENABLE_DISABLE_SERVICE", "POSITION_ADJUSTMENT"]);
  const { url } = bus;
  workplace.write("application.yaml", `server.port: 0\nadmin.engine.transport: websocket\nadmin.engine.url: ${url}\n`);
  const serving = await workplace.serve("--config", "application.yaml");
  environment = { TRADING_ADMIN_URL: serving.url, TRADING_ADMIN_USER: "desk", TRADING_ADMIN_PASSWORD: PASSWORD };
});

afterAll(async () => {
  await workplace.close();
  await bus.close();
});

function run(...args: readonly string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  return workplace.run(args, "", environment);
}

it("D-VAL 11: fix sessions shows every session, `-` for a counter that breaks the contract, and a warning that names it", async () => {
  const tooLarge = { outboundSequence: Number.MAX_SAFE_INTEGER + 1 };
  replies.listFixSessions = [session("S1"), session("S2", tooLarge), session("S3", { inboundSequence: null })];
  const { code, stdout, stderr } = await run("fix", "sessions");
  expect(code).toBe(0);
  for (const name of ["S1", "S2", "S3"]) expect(stdout).toContain(name);
  expect(stderr).toContain("warning: The engine's reply breaks the contract: outboundSequence of OE1 S2 (null)");
  expect(stderr).toContain("gatewayType of OE2 (row left out)");
  const { stdout: json } = await run("fix", "sessions", "OE1", "-o", "json");
  expect(JSON.parse(json)).toMatchObject([{}, { outboundSequence: null }, { inboundSequence: null }]);
});

it("D-VAL 12: a stop whose reply has a bad counter is done", async () => {
  replies.getFixSession = detail({ status: "Disabled" });
  replies.disableFixSession = detail({ status: "Disabled", messagesSent: 2 ** 60 });
  const { code, stdout, stderr } = await run("fix", "disable", "OE1", "S1", "-o", "json");
  expect([code, JSON.parse(stdout).outcome]).toEqual([0, "done"]);
  expect(stderr).toContain("messagesSent (null)");
});

it("D-VAL 12: a stop whose reply cannot be read is settled by the state before and after it", async () => {
  let [isRead, isDisabled] = [false, false];
  Object.defineProperty(replies, "getFixSession", {
    configurable: true,
    get: () => {
      isRead = true;
      return detail(isDisabled ? { status: "Disabled" } : {});
    },
  });
  Object.defineProperty(replies, "disableFixSession", {
    configurable: true,
    // The stop waits for no read, so its reply waits for the read of the state before it.
    get: async () => {
      await until(() => isRead, "the state before is read");
      isDisabled = true;
      return "done";
    },
  });
  const settled = await run("fix", "disable", "OE1", "S1", "-o", "json");
  expect([settled.code, JSON.parse(settled.stdout).outcome], settled.stderr).toEqual([0, "done"]);
  // Now it was so before.
  const open = await run("fix", "disable", "OE1", "S1", "-o", "json");
  expect([open.code, JSON.parse(open.stdout).outcome], open.stderr).toEqual([3, "unknown"]);
});

it("D-VAL 13: an operation that the engine does not have is refused, and certain", async () => {
  const read = await run("services", "list");
  expect([read.code, read.stderr]).toEqual([5, expect.stringContaining("The engine does not support listServices")]);
  const stop = await run("services", "disable", "SIM", "-o", "json");
  expect([stop.code, JSON.parse(stop.stdout)]).toEqual([
    5,
    expect.objectContaining({
      outcome: "rejected",
      message: expect.stringContaining("The engine does not support disableService"),
    }),
  ]);
});

it("D-VAL 11: a size that the engine does not show proves no adjustment", async () => {
  const position = {
    projection: "Account[A]",
    account: "A",
    averageCost: null,
    realizedPnL: null,
    unrealizedPnL: null,
  };
  const rest = { marketValue: null, totalCommission: null, openBuySize: "0", openSellSize: "0" };
  replies.listPositions = [{ ...position, ...rest, size: "1e-7" }];
  replies.adjustPosition = null;
  const adjust = ["positions", "adjust", "Account[A]", "--size", "0", "--yes", "-o", "json"];
  const unproven = await run(...adjust);
  expect([unproven.code, JSON.parse(unproven.stdout)]).toMatchObject([7, { outcome: "not-proven", seenAt: null }]);
  const relative = await run(...adjust, "--relative");
  expect([relative.code, JSON.parse(relative.stdout)]).toMatchObject([0, { outcome: "done", seenAt: null }]);
  replies.listPositions = [{ ...position, ...rest, size: "0", projection: 7 }];
  const { code, stderr } = await run(...adjust);
  expect([code, stderr]).toEqual([6, expect.stringContaining("cannot be read as a whole")]);
});
