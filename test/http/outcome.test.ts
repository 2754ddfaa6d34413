import { describe, expect } from "vitest";
import { AdminError } from "../../src/core/errors.ts";
import { ENDPOINTS, type Endpoint } from "../requirements/support/endpoints.ts";
import { credentials, openSuiteAuthentication } from "../support/access-files.ts";
import type { RawRequest } from "../support/raw-http.ts";
import type { HttpWorld } from "../support/world.ts";
import { JSON_TYPE, rule } from "./rule.ts";

const COMMANDS = ENDPOINTS.filter(({ permission }) => permission !== null);
const READS = ENDPOINTS.filter(({ permission }) => permission === null);
const CHANGES = COMMANDS.filter(({ name }) => /^(resume|enable|update|adjust)/.test(name));

function requestOf({ method, path, body }: Endpoint): RawRequest {
  return { method, path, ...(body !== undefined && { body: JSON.stringify(body), headers: JSON_TYPE }) };
}

/** Status and outcome that each of these endpoints is answered with, each pair once. */
async function told(
  { http }: HttpWorld,
  endpoints: readonly Endpoint[],
  more: Partial<RawRequest> = {},
): Promise<string[]> {
  const found = new Set<string>();
  for (const endpoint of endpoints) {
    const { status, headers } = await http({ ...requestOf(endpoint), ...more });
    found.add(`${status} ${headers["x-admin-outcome"] ?? "says nothing"}`);
  }
  return [...found];
}

describe("D-ENG 16: X-Admin-Outcome on the answers to commands says what happened to them", () => {
  rule("200: applied; on the answer of a read it is not", async (world) => {
    expect(await told(world, COMMANDS)).toEqual(["200 applied"]);
    expect(await told(world, READS)).toEqual(["200 says nothing"]);
  });

  rule("what is refused on its way to the engine: not applied", async (world) => {
    expect(await told(world, COMMANDS, { authorization: credentials("viewer") })).toEqual(["403 not-applied"]);
    expect(await told(world, COMMANDS, { body: "{", headers: JSON_TYPE })).toEqual(["400 not-applied"]);
    expect(await told(world, COMMANDS, { body: "{}", headers: {} })).toEqual(["415 not-applied"]);
    const large = { body: Buffer.alloc(128 * 1024 + 1, " "), headers: JSON_TYPE };
    expect(await told(world, COMMANDS, large)).toEqual(["413 not-applied"]);
    world.bus.detach();
    expect(await told(world, COMMANDS)).toEqual(["503 not-applied"]);
    expect(await told(world, READS)).toEqual(["503 says nothing"]);
  });

  rule("what the engine says of it", async (world) => {
    for (const [refusal, outcome] of [
      ["rejected", "400 not-applied"],
      ["not-found", "404 not-applied"],
      ["overloaded", "429 not-applied"],
      ["unavailable", "503 not-applied"],
      ["internal", "500 unknown"],
    ] as const) {
      world.gate.replyWith(() => ({ ok: false, refusal, message: "no" }));
      const named = ({ path }: Endpoint): boolean =>
        refusal !== "not-found" || path.includes("/TWAP") || path.includes("/OE1");
      expect(await told(world, COMMANDS.filter(named))).toEqual([outcome]);
      expect(await told(world, READS.filter(named))).toEqual([outcome.replace(/ .*/, " says nothing")]);
    }
  });

  rule("504: unknown", async (world) => {
    world.gate.hold();
    const answering = told(world, COMMANDS.slice(0, 1));
    await world.until(() => world.gate.seen.length >= 1, { stepMs: 0 });
    world.clock.advance(10_000);
    expect(await answering).toEqual(["504 unknown"]);
    world.gate.release();
    await world.allAnswered();
  });

  rule("D-LOG 3: a change that cannot be recorded: not applied, though the status is 500", async (world) => {
    world.audit.failure = new Error("disk full");
    expect(await told(world, CHANGES)).toEqual(["500 not-applied"]);
    expect(world.gate.seen).toEqual([]);
  });

  rule(
    "D-LOG 12: a change that was applied and could not be recorded: applied, though the status is 500",
    async (world) => {
      world.gate.replyWith(() => {
        world.audit.failure = new Error("disk full");
        return undefined as never;
      });
      for (const change of CHANGES) {
        world.audit.failure = undefined;
        expect([change.name, await told(world, [change])]).toEqual([change.name, ["500 applied"]]);
      }
    },
  );

  rule(
    "a policy that fails: the change is not applied, though the status is 500",
    async (world) => {
      expect(await told(world, CHANGES)).toEqual(["500 not-applied"]);
    },
    {
      authorize: () => {
        throw new Error("no rules");
      },
    },
  );
});

describe("D-HTTP 1: who is not let in learns from X-Admin-Outcome nothing about paths", () => {
  const paths = ["/trading/halt", "/positions", "/services", "/nowhere"];

  rule("a POST to any path was not applied, and of other methods it says nothing", async ({ http }) => {
    for (const path of paths) {
      const [post, get] = [
        await http({ method: "POST", path, authorization: null }),
        await http({ path, authorization: null }),
      ];
      expect([path, post.status, post.headers["x-admin-outcome"]]).toEqual([path, 401, "not-applied"]);
      expect([path, get.status, get.headers["x-admin-outcome"]]).toEqual([path, 401, undefined]);
    }
  });

  rule(
    "credentials that cannot be checked: a command was not applied, though the status is 500",
    async ({ http }) => {
      for (const path of paths) {
        const { status, headers } = await http({ method: "POST", path });
        expect([path, status, headers["x-admin-outcome"]]).toEqual([path, 500, "not-applied"]);
      }
    },
    {
      authentication: async () => {
        const suite = await openSuiteAuthentication();
        const authenticate = (): never => {
          throw new AdminError("IDENTITY_PROVIDER_UNAVAILABLE", "the identity provider does not answer");
        };
        return { close: suite.close, credentials, authenticator: { authenticate } };
      },
    },
  );
});
