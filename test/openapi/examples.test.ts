import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { authenticationMechanism, type MechanismSettings } from "../../src/config/mechanism.ts";
import { AdminError, type AdminErrorCode } from "../../src/core/errors.ts";
import { operationNames, operationRecord, operations } from "../../src/core/operations/table.ts";
import { PERMISSIONS, principal } from "../../src/core/principal.ts";
import { ERROR_EXAMPLES } from "../../src/openapi/error-responses.ts";
import { startTestRig } from "../../src/testing/rig.ts";
import { endpoint } from "../requirements/support/endpoints.ts";
import { overloadedMessage } from "../requirements/support/faults.ts";
import { credentials } from "../support/access-files.ts";
import type { RawRequest } from "../support/raw-http.ts";
import type { HttpWorld } from "../support/world.ts";
import { openServers, PROVOKED, refusedBy, type Servers } from "./provoked.ts";

/** Names of the fields of a response, or of the first element of a list. */
function fieldsOf(value: unknown): string[] {
  return Object.keys(Object(Array.isArray(value) ? value[0] : value)).toSorted();
}

describe("the document's examples of requests and responses", () => {
  it.each(operationNames)(
    "%s: the sample installation accepts the requests and returns what is shown",
    async (name) => {
      for (const { summary, input, output } of operationRecord(operations, name).examples) {
        const rig = await startTestRig();
        const found = await rig.api.call(name, input as never, principal("chief", PERMISSIONS));
        await rig.close();
        expect(operationRecord(operations, name).output.parse(output), summary).toEqual(output);
        // Nothing is traded in a rig: there are no positions to compare.
        if (name !== "listPositions") expect(fieldsOf(output), summary).toEqual(fieldsOf(found));
      }
    },
  );
});

const JSON_TYPE = { "Content-Type": "application/json" };

function post(path: string, body: unknown): RawRequest {
  return { method: "POST", path, headers: JSON_TYPE, body: JSON.stringify(body) };
}

const NO_SUCH_LIMIT = {
  projection: "Account/Symbol",
  commands: [{ type: "UPDATE", conditions: { Account: "*", Symbol: "*" }, limits: { MaxOrderNotional: "1" } }],
};

/** What is told to a caller when the audit fails from the given record of a change on. */
async function unrecorded({ audit, gate, http }: HttpWorld, stage: "intent" | "outcome"): Promise<string> {
  const fail = (): void => {
    audit.failure = new Error("the disk is full");
  };
  if (stage === "intent") fail();
  else {
    gate.replyWith(() => {
      fail();
      return { ok: true, result: null };
    });
  }
  const { body } = await http(post("/trading/resume", {}));
  audit.failure = undefined;
  gate.replyWith(undefined);
  return body;
}

/** How a body with each error is brought about. */
const BODIES: Readonly<Partial<Record<AdminErrorCode, (servers: Servers) => Promise<string>>>> = {
  BAD_REQUEST: async ({ world }) =>
    (await world.http(post("/trading/halt", { projectionPath: "Acount[GOLD]", cancelOrder: true }))).body,
  REJECTED: async ({ world }) => (await world.http(post("/risk/update", NO_SUCH_LIMIT))).body,
  PERMISSION_DENIED: async ({ world }) => {
    const { body } = await world.http({ ...post("/trading/halt", {}), authorization: credentials("viewer") });
    return body.replace("viewer", "alice");
  },
  CROSS_SITE: async ({ world }) =>
    (await world.http({ method: "POST", path: "/trading/halt", headers: { Origin: "https://elsewhere" } })).body,
  NOT_SUPPORTED: async ({ world }) => (await refusedBy(world, endpoint("disconnectFixSession"), "unsupported")).body,
  NOT_FOUND: async ({ world }) => (await world.http({ path: "/services/TWAP2" })).body,
  UNKNOWN_PATH: async ({ world }) => (await world.http({ path: "/nowhere" })).body,
  METHOD_NOT_ALLOWED: async ({ world }) => (await world.http({ method: "DELETE", path: "/services" })).body,
  AUDIT_UNAVAILABLE: ({ world }) => unrecorded(world, "intent"),
  OUTCOME_NOT_RECORDED: ({ world }) => unrecorded(world, "outcome"),
  ...Object.fromEntries(
    Object.entries({
      BODY_TOO_LARGE: 413,
      UNSUPPORTED_MEDIA_TYPE: 415,
      TARGET_TOO_LONG: 414,
      HEADERS_TOO_LARGE: 431,
      ENGINE_FAILED: 500,
      ENGINE_TIMEOUT: 504,
    }).map(([code, status]) => [
      code,
      async (servers: Servers) => (await PROVOKED[status]?.(servers, endpoint("haltTrading")))?.body,
    ]),
  ),
};

describe("the document's examples of errors are what the server sends", () => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await openServers();
  });
  afterAll(() => servers.close());

  it.each(Object.entries(BODIES))("for %s", async (code, provoke) => {
    const found = JSON.parse(await provoke(servers));
    const named = code as AdminErrorCode;
    expect(found).toEqual(new AdminError(named, ERROR_EXAMPLES[named]).toJSON());
  });

  it("for ENGINE_UNAVAILABLE", async () => {
    const { world } = servers;
    world.bus.detach();
    const { body } = await world.http({ path: "/services" });
    expect(JSON.parse(body).message).toBe(ERROR_EXAMPLES.ENGINE_UNAVAILABLE);
  });

  it("for ENGINE_OVERLOADED, INTERNAL, API_CLOSED", () => {
    expect(overloadedMessage(servers.world)).toBe(ERROR_EXAMPLES.ENGINE_OVERLOADED);
    expect(AdminError.from(new Error("unforeseen")).message).toBe(ERROR_EXAMPLES.INTERNAL);
    const settings = { "security.oauth2.authenticationType": "NONE" } as MechanismSettings;
    expect(authenticationMechanism(settings)).toEqual({ kind: "closed", reason: ERROR_EXAMPLES.API_CLOSED });
  });
});
