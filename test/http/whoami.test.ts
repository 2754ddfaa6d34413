import { afterEach, describe, expect, it } from "vitest";
import type { Authenticator } from "../../src/auth/authenticator.ts";
import { basic, createClient } from "../../src/client/index.ts";
import { PERMISSIONS, type Permission, type Principal } from "../../src/core/principal.ts";
import { startTestRig, type TestRig } from "../../src/testing/rig.ts";
import { InstallationFolder, PASSWORD } from "../gateway/folder.ts";
import { HTTP_MOUNTS } from "../support/mounts.ts";
import { httpWorld, type SuiteAuthentication } from "../support/world.ts";

const WHOAMI = "/whoami";
const SORTED = [...PERMISSIONS].toSorted();

let rig: TestRig | undefined;

afterEach(() => rig?.close());

/** An authentication that accepts every caller as one principal. */
function everybodyIs(principal: Principal): () => Promise<SuiteAuthentication> {
  const authenticator: Authenticator = { authenticate: () => ({ kind: "principal", principal }) };
  return async () => ({ authenticator, credentials: () => "Test", close: () => {} });
}

describe("D-HTTP 36: GET /whoami says who the caller is", () => {
  it.each(HTTP_MOUNTS)("over $name, to any user and nobody else, and HEAD works", async (mount) => {
    const world = await httpWorld(mount);
    try {
      const { status, body } = await world.http({ path: WHOAMI });
      expect(status).toBe(200);
      expect(JSON.parse(body)).toEqual({
        name: "chief",
        authentication: "basic",
        permissions: SORTED,
        expires: null,
      });
      const viewer = await world.http({ path: WHOAMI, authorization: world.authentication.credentials("viewer") });
      expect(JSON.parse(viewer.body)).toMatchObject({ name: "viewer", permissions: [] });
      expect(await world.http({ method: "HEAD", path: WHOAMI })).toMatchObject({ status: 200, body: "" });
      expect((await world.http({ path: WHOAMI, authorization: null })).status).toBe(401);
      expect((await world.http({ path: `${WHOAMI}?name=chief` })).status).toBe(400);
      expect((await world.http({ path: `${WHOAMI}/` })).status).toBe(404);
    } finally {
      await world.close();
    }
  });

  it("says when a bearer token expires, and the permissions that are active now", async () => {
    let permissions: ReadonlySet<Permission> | undefined = new Set(["HALT_RESUME_TRADING", "CHANGE_RISK_LIMITS"]);
    const principal: Principal = {
      name: "monitor",
      authentication: "bearer",
      permissions,
      tokenExpires: 1_767_605_460_000,
      permissionsNow: () => permissions,
    };
    const [mount] = HTTP_MOUNTS;
    if (!mount) throw new Error("no mount");
    const world = await httpWorld(mount, { authentication: everybodyIs(principal) });
    try {
      const ask = async (): Promise<unknown> => JSON.parse((await world.http({ path: WHOAMI })).body);
      const known = { name: "monitor", authentication: "bearer", expires: 1_767_605_460_000 };
      expect(await ask()).toEqual({ ...known, permissions: ["CHANGE_RISK_LIMITS", "HALT_RESUME_TRADING"] });
      permissions = new Set(["CHANGE_RISK_LIMITS"]);
      expect(await ask()).toEqual({ ...known, permissions: ["CHANGE_RISK_LIMITS"] });
      permissions = undefined;
      expect(await ask()).toEqual({ ...known, permissions: [] });
    } finally {
      await world.close();
    }
  });

  it("asks no engine: it is answered while the engine is unavailable, and to a host's own callers", async () => {
    rig = await startTestRig();
    rig.gate.replyWith(() => ({ ok: false, refusal: "unavailable", message: "starting" }));
    expect((await rig.inject({ url: "/api/admin/v1/trading/status", as: "alice" })).status).toBe(503);
    expect((await rig.inject({ url: "/api/admin/v1/whoami", as: "alice" })).json()).toMatchObject({ name: "alice" });
    expect(await rig.as("bob").whoami()).toEqual({
      name: "bob",
      authentication: "direct",
      permissions: SORTED,
      expires: null,
    });
    expect(rig.received().filter(({ method }) => method !== "getTradingStatus")).toEqual([]);
  });

  it("is a method of the client, and gone with admin.api.extensions: false", async () => {
    const folder = new InstallationFolder();
    try {
      const { url } = await folder.start("");
      const client = createClient({ baseUrl: url, credentials: basic("chief", PASSWORD) });
      expect(await client.whoami()).toMatchObject({ name: "chief", authentication: "basic" });
    } finally {
      await folder.close();
    }
    rig = await startTestRig({ extensions: false });
    const [gone, unknown] = await Promise.all(
      ["whoami", "nothing"].map((path) => rig?.inject({ url: `/api/admin/v1/${path}`, as: "alice" })),
    );
    expect([gone?.status, gone?.body]).toEqual([404, unknown?.body]);
  });
});
