import assert from "node:assert/strict";
import { fixSession } from "../../core/operations/fix.ts";
import type { Output } from "../../core/operations/table.ts";
import { eachApplicable, need, whereApplicable } from "./applicable.ts";
import { casesAbout, cleaningUp, type EngineClient } from "./engine-client.ts";
import type { EngineLandmarks, SessionLandmark } from "./engine-fixture.ts";

type Detail = Output<"getFixSession">;

const NO_CONNECTION = { localIp: null, localPort: null, remoteIp: null, remotePort: null };

const SESSION_OPERATIONS = ["getFixSession", "disableFixSession", "enableFixSession", "disconnectFixSession"] as const;

const UNKNOWN = "no such name";

/** Fields of a session that do not depend on its connection. */
function identity({ gatewayName, sessionId, gatewayType, senderId, targetId }: Detail): Partial<Detail> {
  return { gatewayName, sessionId, gatewayType, senderId, targetId };
}

/** Fields that commands change. Counters, sequence numbers and times also change with each refused logon. */
function settled(session: Detail): Partial<Detail> {
  const { status, localIp, localPort, remoteIp, remotePort } = session;
  return { ...identity(session), status, localIp, localPort, remoteIp, remotePort };
}

/** Fields that distinguish connections of a session, as far as the engine knows. */
function connectionOf({ connectTimestamp, localPort, remotePort }: Detail): readonly (number | null)[] {
  return [connectTimestamp, localPort, remotePort];
}

/** Addresses are those of a connection. */
function checkAddresses({ status, localIp, localPort, remoteIp, remotePort, sessionId }: Detail): void {
  if (status === "Connected") return;
  const addresses = { localIp, localPort, remoteIp, remotePort };
  assert.deepEqual(addresses, NO_CONNECTION, `addresses of the ${status} session ${sessionId}`);
}

async function read(engine: EngineClient, name: SessionLandmark): Promise<Detail> {
  const session = await engine.call("getFixSession", name);
  checkAddresses(session);
  return session;
}

/** A session that the landmarks call connected, as it was then; its peer may need a moment. */
async function connected(engine: EngineClient, name: SessionLandmark): Promise<Detail> {
  let session = await read(engine, name);
  const what = `the session ${name.session} of ${name.gateway} is Connected, as the landmarks say`;
  await engine.timeLimit.until(what, async () => {
    session = await read(engine, name);
    return session.status === "Connected";
  });
  return session;
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
  const others = await whereApplicable(() => disabledSessions(engine, name.gateway));
  const disabled = settled(await command(engine, "disableFixSession", name));
  assert.equal(disabled.status, "Disabled", "status in the result of disable");
  assert.deepEqual(settled(await read(engine, name)), disabled, "the session that is read after disable");
  const again = await command(engine, "disableFixSession", name);
  assert.deepEqual(settled(again), disabled, "disabling twice");
  await whereApplicable(async () => {
    const dropped = await command(engine, "disconnectFixSession", name);
    assert.deepEqual(settled(dropped), disabled, "disconnecting a disabled session");
  });
  if ("value" in others) {
    const now = await disabledSessions(engine, name.gateway);
    assert.deepEqual(now.toSorted(), [...others.value, name.session].toSorted(), "disabled sessions of the gateway");
  }
  await checkEnable(engine, name);
}

async function checkEnable(engine: EngineClient, name: SessionLandmark): Promise<void> {
  for (const time of ["once", "twice"]) {
    const enabled = await command(engine, "enableFixSession", name);
    // Its peer may have reconnected meanwhile.
    assert.notEqual(enabled.status, "Disabled", `status in the result of enable, asked ${time}`);
  }
  assert.notEqual((await read(engine, name)).status, "Disabled", "status after enable");
}

async function checkDisconnect(engine: EngineClient, name: SessionLandmark): Promise<void> {
  const before = connectionOf(await connected(engine, name));
  for (const time of ["once", "twice"]) {
    const after = await command(engine, "disconnectFixSession", name);
    assert.notEqual(after.status, "Disabled", `status in the result of disconnect, asked ${time}`);
    // The peer may have come back, but not on the old connection.
    if (after.status === "Connected" && before.some((known) => known !== null)) {
      assert.notDeepEqual(connectionOf(after), before, "the session after disconnect has its old connection");
    }
  }
}

/** Names that are not those of anything, one of them nearly. */
function unknownNames(name: string | undefined): string[] {
  return [UNKNOWN, "", "__proto__", ...(name === undefined ? [] : [`${name} `])];
}

async function checkUnknown(engine: EngineClient, landmarks: EngineLandmarks): Promise<void> {
  const known = landmarks.sessions?.disabled?.[0] ?? landmarks.sessions?.disconnected;
  await eachApplicable(["getFixGateway", "listFixSessions"] as const, async (operation) => {
    for (const gateway of unknownNames(known?.gateway)) await engine.refused(operation, { gateway }, "not-found");
  });
  await eachApplicable(SESSION_OPERATIONS, async (operation) => {
    await engine.refused(operation, { gateway: UNKNOWN, session: known?.session ?? UNKNOWN }, "not-found");
    if (!known) return;
    for (const session of unknownNames(known.session)) {
      await engine.refused(operation, { gateway: known.gateway, session }, "not-found");
    }
  });
}

/** A gateway and its sessions, in both forms. Peers of an acceptor may make sessions at any time. */
async function checkGateway(engine: EngineClient, gateway: string, gatewayType: string): Promise<void> {
  const detail = await engine.call("getFixGateway", { gateway });
  assert.equal(detail.gatewayType, gatewayType, `type of the gateway ${gateway}`);
  await engine.timeLimit.until(`the number of sessions of ${gateway} is that of the sessions in its list`, async () => {
    const { sessions } = await engine.call("getFixGateway", { gateway });
    return sessions === null || sessions === (await engine.call("listFixSessions", { gateway })).length;
  });
  for (const listed of await engine.call("listFixSessions", { gateway })) {
    const session = await read(engine, { gateway, session: listed.sessionId });
    assert.equal(listed.gatewayName, gateway, `gateway of the session ${listed.sessionId}`);
    assert.equal(session.gatewayType, gatewayType, `gateway type of the session ${listed.sessionId}`);
    assert.deepEqual(Object.keys(fixSession().parse(session)).toSorted(), Object.keys(listed).toSorted());
  }
}

/** FIX gateways and sessions (specification, "FIX gateways and sessions"; decision D-ENG 5). */
export const fixCases = casesAbout("FIX", {
  "each gateway is listed once": async (engine, { sessions }) => {
    const names = (await engine.call("listFixGateways", {})).map(({ gatewayName }) => gatewayName);
    assert.equal(new Set(names).size, names.length, `a gateway is listed twice: ${names.join(", ")}`);
    const known = [...(sessions?.disabled ?? []), sessions?.disconnected].filter((name) => name !== undefined);
    for (const { gateway } of known) assert.ok(names.includes(gateway), `gateway "${gateway}" is not in the list`);
  },
  "detail forms of gateways and sessions say the same as list forms": async (engine) => {
    for (const { gatewayName, gatewayType } of await engine.call("listFixGateways", {})) {
      await checkGateway(engine, gatewayName, gatewayType);
    }
  },
  "a session is disabled and enabled; the reply is what is read back": async (engine, { sessions }) => {
    for (const name of need(sessions?.disabled, "FIX session to disable")) {
      // Shows, before anything is disabled, that it can be taken back.
      await command(engine, "enableFixSession", name);
      await cleaningUp(
        () => checkDisable(engine, name),
        async () => {
          await engine.call("enableFixSession", name);
        },
      );
    }
  },
  "disconnect drops the connection, and does not disable the session": (engine, { sessions }) =>
    checkDisconnect(engine, need(sessions?.disconnected, "FIX session to disconnect")),
  "an unknown gateway or session is not found": checkUnknown,
});
