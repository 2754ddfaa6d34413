import assert from "node:assert/strict";
import { fixSession } from "../../core/operations/fix.ts";
import type { OperationName, Output } from "../../core/operations/table.ts";
import { cleaningUp, type EngineCase, type EngineClient } from "./engine-client.ts";
import type { EngineLandmarks, SessionLandmark } from "./engine-fixture.ts";

type Detail = Output<"getFixSession">;

const NO_CONNECTION = { localIp: null, localPort: null, remoteIp: null, remotePort: null };

const SESSION_OPERATIONS = ["getFixSession", "disableFixSession", "enableFixSession", "disconnectFixSession"] as const;

const UNKNOWN = "no such name";

/** What a session is, whatever happens to its connection. */
function identity({ gatewayName, sessionId, gatewayType, senderId, targetId }: Detail): Partial<Detail> {
  return { gatewayName, sessionId, gatewayType, senderId, targetId };
}

/** Addresses are those of a connection. */
function checkAddresses(session: Detail): void {
  const { status, localIp, localPort, remoteIp, remotePort, sessionId, connectTimestamp } = session;
  const addresses = { localIp, localPort, remoteIp, remotePort };
  if (status !== "Connected")
    assert.deepEqual(addresses, NO_CONNECTION, `addresses of the ${status} session ${sessionId}`);
  else {
    const missing = Object.entries({ ...addresses, connectTimestamp }).filter(([, value]) => value === null);
    assert.deepEqual(missing, [], `what the connected session ${sessionId} does not have`);
  }
}

async function read(engine: EngineClient, name: SessionLandmark): Promise<Detail> {
  const session = await engine.call("getFixSession", name);
  checkAddresses(session);
  return session;
}

/** A session that the landmarks call connected; its peer may need a moment. */
async function connected(engine: EngineClient, name: SessionLandmark): Promise<Detail> {
  const what = `the session ${name.session} of ${name.gateway} is Connected, as the landmarks say`;
  await engine.shows(what, "getFixSession", name, ({ status }) => status === "Connected");
  return read(engine, name);
}

/** A command whose result has to be the state that is read back. */
async function command(
  engine: EngineClient,
  operation: (typeof SESSION_OPERATIONS)[number],
  name: SessionLandmark,
): Promise<Detail> {
  const before = await read(engine, name);
  const result = await engine.call(operation, name);
  checkAddresses(result);
  assert.deepEqual(identity(result), identity(before), `result of ${operation}`);
  return result;
}

async function disabledSessions(engine: EngineClient, gateway: string): Promise<string[]> {
  const sessions = await engine.call("listFixSessions", { gateway });
  return sessions.filter(({ status }) => status === "Disabled").map(({ sessionId }) => sessionId);
}

/** Disables a connected session and enables it again, each twice. */
async function checkDisable(engine: EngineClient, name: SessionLandmark): Promise<void> {
  await connected(engine, name);
  const others = await disabledSessions(engine, name.gateway);
  const disabled = await command(engine, "disableFixSession", name);
  assert.equal(disabled.status, "Disabled", "status in the result of disable");
  assert.notEqual(disabled.disconnectTimestamp, null, "disconnectTimestamp of a connection that was dropped");
  assert.deepEqual(await read(engine, name), disabled, "the session that is read after disable");
  assert.deepEqual(await command(engine, "disableFixSession", name), disabled, "disabling twice");
  assert.deepEqual(await command(engine, "disconnectFixSession", name), disabled, "disconnecting a disabled session");
  const now = await disabledSessions(engine, name.gateway);
  assert.deepEqual(now.toSorted(), [...others, name.session].toSorted(), "disabled sessions of the gateway");
  await checkEnable(engine, name);
}

async function checkEnable(engine: EngineClient, name: SessionLandmark): Promise<void> {
  for (const time of ["once", "twice"]) {
    const enabled = await command(engine, "enableFixSession", name);
    // Its peer may have come back by now.
    assert.notEqual(enabled.status, "Disabled", `status in the result of enable, asked ${time}`);
  }
  assert.notEqual((await read(engine, name)).status, "Disabled", "status after enable");
}

async function checkDisconnect(engine: EngineClient, name: SessionLandmark): Promise<void> {
  const before = await connected(engine, name);
  const after = await command(engine, "disconnectFixSession", name);
  assert.notEqual(after.status, "Disabled", "status in the result of disconnect");
  assert.notEqual(after.disconnectTimestamp, null, "disconnectTimestamp of a connection that was dropped");
  // The peer may have come back, but not on the old connection.
  const { status, connectTimestamp, remotePort, localPort } = before;
  const same = { status, connectTimestamp, remotePort, localPort };
  assert.notDeepEqual({ ...after, ...same }, after, "the session after disconnect has its old connection");
  if (after.status === "Disconnected" && (await read(engine, name)).status === "Disconnected") {
    assert.equal((await command(engine, "disconnectFixSession", name)).status, "Disconnected", "disconnecting twice");
  }
}

async function checkUnknown(engine: EngineClient, { gateway, session }: SessionLandmark): Promise<void> {
  for (const name of [UNKNOWN, "", `${gateway} `, "__proto__"]) {
    await engine.refused("getFixGateway", { gateway: name }, "not-found");
    await engine.refused("listFixSessions", { gateway: name }, "not-found");
  }
  for (const operation of SESSION_OPERATIONS satisfies readonly OperationName[]) {
    for (const name of [UNKNOWN, "", `${session} `, "__proto__"]) {
      await engine.refused(operation, { gateway, session: name }, "not-found");
    }
    await engine.refused(operation, { gateway: UNKNOWN, session }, "not-found");
  }
}

/** All sessions of all gateways, in both forms. */
async function checkForms(engine: EngineClient): Promise<void> {
  for (const { gatewayName: gateway, gatewayType } of await engine.call("listFixGateways", {})) {
    const detail = await engine.call("getFixGateway", { gateway });
    const sessions = await engine.call("listFixSessions", { gateway });
    assert.equal(detail.gatewayType, gatewayType, `type of the gateway ${gateway}`);
    assert.equal(detail.sessions, sessions.length, `number of sessions of ${gateway}`);
    for (const listed of sessions) {
      const session = await read(engine, { gateway, session: listed.sessionId });
      assert.equal(listed.gatewayName, gateway, `gateway of the session ${listed.sessionId}`);
      assert.equal(session.gatewayType, gatewayType, `gateway type of the session ${listed.sessionId}`);
      assert.deepEqual(Object.keys(fixSession().parse(session)).toSorted(), Object.keys(listed).toSorted());
    }
  }
}

/** FIX gateways and sessions (specification, "FIX gateways and sessions"; decision D-ENG 5). */
export function fixCases({ sessions }: EngineLandmarks): EngineCase[] {
  const { disabled, disconnected } = sessions;
  const on = (name: string, check: (engine: EngineClient) => Promise<void>): EngineCase => ({
    name: `FIX: ${name}`,
    check,
  });
  return [
    on("gateways and sessions are listed once; detail forms say the same as list forms", async (engine) => {
      const names = (await engine.call("listFixGateways", {})).map(({ gatewayName }) => gatewayName);
      assert.equal(new Set(names).size, names.length, `a gateway is listed twice: ${names.join(", ")}`);
      for (const { gateway } of [...disabled, disconnected]) {
        assert.ok(names.includes(gateway), `gateway "${gateway}" is not in the list`);
      }
      await checkForms(engine);
    }),
    ...disabled.map((name) =>
      on(`"${name.session}" of "${name.gateway}" is disabled and enabled; the reply is what is read back`, (engine) =>
        cleaningUp(
          () => checkDisable(engine, name),
          async () => {
            await engine.call("enableFixSession", name);
          },
        ),
      ),
    ),
    on(`disconnect drops the connection of "${disconnected.session}", and does not disable it`, (engine) =>
      checkDisconnect(engine, disconnected),
    ),
    on("an unknown gateway or session is not found", (engine) => checkUnknown(engine, disabled[0])),
  ];
}
