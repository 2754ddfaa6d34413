import { describe, expect } from "vitest";
import { verifies, verifiesHttp } from "../support/verifies.ts";
import { DETAIL_FORM, GATEWAY, LIST_FORM, NO_CONNECTION, START } from "./support/fix.ts";
import { expectEndpoint, expectError, expectOk } from "./support/responses.ts";

const SESSION_PATH = "/fix/gateways/OE1/sessions/FIXCLIENT1";
const PORT = expect.any(Number);
const DROPPED = { ...DETAIL_FORM, ...NO_CONNECTION, disconnectTimestamp: START };

describe("FIX reads", () => {
  verifiesHttp("FIX-GATEWAYS-LIST", async (world) => {
    expectOk(await expectEndpoint(world, "listFixGateways"), [
      { gatewayName: "OE1", gatewayType: "OrderEntry", updateTimestamp: START },
      { gatewayName: "MD1", gatewayType: "MarketData", updateTimestamp: START },
      { gatewayName: "RFQ1", gatewayType: "RFQ", updateTimestamp: START },
      { gatewayName: "VENUES", gatewayType: "TradeConnector", updateTimestamp: START },
    ]);
  });

  verifiesHttp("FIX-GATEWAYS-GET", async (world) => {
    expectOk(await expectEndpoint(world, "getFixGateway"), GATEWAY);
  });

  verifiesHttp("FIX-SESSIONS-LIST", async (world) => {
    const { localPort, remoteIp, remotePort } = NO_CONNECTION;
    const idle = { gatewayName: "OE1", localPort, remoteIp, remotePort, inboundSequence: 1, outboundSequence: 1 };
    expectOk(await expectEndpoint(world, "listFixSessions"), [
      { ...LIST_FORM, remotePort: PORT },
      { ...LIST_FORM, sessionId: "FIXCLIENT2", remoteIp: "10.30.1.22", remotePort: PORT },
      { ...idle, sessionId: "FIXCLIENT3", status: "Disconnected" },
      { ...idle, sessionId: "LEGACY", status: "Disabled" },
    ]);
  });

  verifiesHttp("FIX-SESSIONS-GET", async (world) => {
    expectOk(await expectEndpoint(world, "getFixSession"), { ...DETAIL_FORM, remotePort: PORT });
    const slashed = await world.http({ path: "/fix/gateways/RFQ1/sessions/EUR%2FUSD%20desk" });
    expect(JSON.parse(slashed.body)).toMatchObject({ gatewayName: "RFQ1", sessionId: "EUR/USD desk" });
  });
});

describe("FIX session operations", () => {
  verifiesHttp("FIX-SESSIONS-DISABLE", async (world) => {
    expectOk(await expectEndpoint(world, "disableFixSession"), { ...DROPPED, status: "Disabled" });
  });

  verifiesHttp("FIX-SESSIONS-ENABLE", async (world) => {
    await world.http({ method: "POST", path: `${SESSION_PATH}/disable` });
    expectOk(await expectEndpoint(world, "enableFixSession"), { ...DROPPED, status: "Disconnected" });
  });

  verifiesHttp("FIX-SESSIONS-DISCONNECT", async (world) => {
    expectOk(await expectEndpoint(world, "disconnectFixSession"), { ...DROPPED, status: "Disconnected" });
  });

  verifiesHttp("FIX-SESSIONS-NO-BODY", async (world) => {
    for (const [action, status] of [
      ["disconnect", "Disconnected"],
      ["disable", "Disabled"],
      ["enable", "Disconnected"],
    ] as const) {
      const request = { method: "POST", path: `${SESSION_PATH}/${action}` };
      expectOk(await world.http(request), { ...DROPPED, status });
      const headers = { "Content-Type": "application/json" };
      const told = await world.http({ ...request, headers, body: '{"reason":"drill"}' });
      expectError(told, 400, "reason: unknown field");
    }
  });

  verifies("FIX-UNKNOWN", async (world) => {
    for (const name of ["getFixGateway", "listFixSessions"] as const) {
      expectError(await world.call(name, { gateway: "OE9" }), 404, 'Unknown FIX gateway "OE9"');
    }
    for (const name of ["getFixSession", "disableFixSession", "enableFixSession", "disconnectFixSession"] as const) {
      const noGateway = await world.call(name, { gateway: "OE9", session: "FIXCLIENT1" });
      expectError(noGateway, 404, 'Unknown FIX gateway "OE9"');
      const noSession = await world.call(name, { gateway: "OE1", session: "MDCLIENT1" });
      expectError(noSession, 404, 'Unknown FIX session "MDCLIENT1" of gateway "OE1"');
    }
  });
});
