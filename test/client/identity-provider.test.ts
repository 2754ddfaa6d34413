import { describe, expect, it } from "vitest";
import { clientCredentials } from "../../src/client/client-credentials.ts";
import { bearer } from "../../src/client/credentials.ts";
import { NotAppliedError } from "../../src/client/errors.ts";
import { TokenRequestError } from "../../src/client/token-request.ts";
import { CLIENT, ODD_CLIENT, POSTING_CLIENT } from "../auth/token/identity-provider.ts";
import { clientOf, failureOf } from "./calls.ts";
import { AUDIENCE, withProvider } from "./provider-world.ts";

/** What the test's own `fetch` was asked for. */
function counted(): { readonly urls: string[]; readonly fetch: typeof fetch } {
  const urls: string[] = [];
  return {
    urls,
    fetch: (url, init) => {
      urls.push(String(url));
      return fetch(url, init);
    },
  };
}

describe("Authentication 6: tokens of a real provider, by the client credentials grant", () => {
  it.each([
    ["basic", CLIENT],
    ["post", POSTING_CLIENT],
    ["basic", ODD_CLIENT],
  ] as const)(
    "%s, %j: one token serves many calls, and the client is the user in the audit",
    (authentication, { id, secret }) =>
      withProvider(async (provider, world) => {
        const { urls, fetch } = counted();
        const tokenUrl = `${provider.issuer}/token`;
        const token = { tokenUrl, clientId: id, clientSecret: secret, resource: AUDIENCE, authentication, fetch };
        const client = clientOf(world, "", { credentials: bearer(clientCredentials(token)) });
        expect(await client.haltTrading({ reason: "drill" })).toBeNull();
        await Promise.all(Array.from({ length: 20 }, () => client.listServices()));
        expect(urls).toEqual([tokenUrl]);
        expect(world.audit.records).toContainEqual(expect.objectContaining({ user: id, stage: "applied" }));
      }),
  );

  it("are renewed after the provider rotated its keys: the old one is refused, then read and mutation succeed", () =>
    withProvider(async (provider, world, pass) => {
      const token = { tokenUrl: `${provider.issuer}/token`, clientId: CLIENT.id, clientSecret: CLIENT.secret };
      const { urls, fetch } = counted();
      const clients = [1, 2].map(() => {
        const credentials = bearer(clientCredentials({ ...token, resource: AUDIENCE, fetch }));
        return clientOf(world, "", { credentials });
      });
      const [reader, operator] = clients;
      await Promise.all(clients.map((client) => client.listServices()));
      await provider.rotateKeys();
      pass(30_000);
      // Somebody else's new token makes the API fetch the new keys.
      await world.http({ path: "/services", authorization: `Bearer ${await provider.token(AUDIENCE)}` });
      expect(await reader?.listServices()).toContainEqual(expect.objectContaining({ name: "TWAP" }));
      expect(await operator?.haltTrading()).toBeNull();
      expect(urls).toHaveLength(4);
    }));

  it.each([
    ["a wrong secret", { clientSecret: "wrong" }, "invalid_client"],
    ["a malformed resource", { resource: "no URI" }, "invalid_target"],
  ])("are missing after %s: nothing is sent, and the provider's own code says why", (_, wrong, code) =>
    withProvider(async (provider, world) => {
      const right = { tokenUrl: `${provider.issuer}/token`, clientId: CLIENT.id, clientSecret: CLIENT.secret };
      const source = clientCredentials({ ...right, resource: AUDIENCE, ...wrong });
      const error = await failureOf(clientOf(world, "", { credentials: bearer(source) }).haltTrading());
      expect(error).toBeInstanceOf(NotAppliedError);
      expect(error.cause).toBeInstanceOf(TokenRequestError);
      expect(error.cause).toMatchObject({ code });
      expect(error.message).toContain(code);
      expect(world.gate.seen).toEqual([]);
    }),
  );
});
