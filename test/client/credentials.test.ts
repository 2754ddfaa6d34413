import { describe, expect, it } from "vitest";
import { basic, bearer, type TokenSource } from "../../src/client/credentials.ts";
import { DeniedError, NotAppliedError } from "../../src/client/errors.ts";
import { clientAt, failureOf } from "./calls.ts";
import { json, type Script, ScriptedServer } from "./scripted-server.ts";

describe("Authentication 2: the Authorization header", () => {
  it.each([
    ["operator", "s3cret"],
    ["zoë", "pässwörd: 密码 🔑"],
    ["", ":"],
    ["~".repeat(3_000), "x".repeat(3_000)],
  ])("carries %s in UTF-8", async (user, password) => {
    const header = await basic(user, password).authorization();
    const [scheme, encoded = ""] = header.split(" ");
    expect([scheme, Buffer.from(encoded, "base64").toString("utf8")]).toEqual(["Basic", `${user}:${password}`]);
    expect(encoded).toBe(Buffer.from(`${user}:${password}`).toString("base64"));
  });

  it.each([
    ["a:b", "x", "colon"],
    ["ops", "secret\n", "control characters"],
    ["ops\0", "secret", "control characters"],
    ["ops", "", "empty"],
  ])("is refused immediately for %j with %j: no server would accept it", (user, password, reason) => {
    expect(() => basic(user, password)).toThrow(reason);
    expect(() => basic(user, password)).not.toThrow("secret");
  });

  it.each(["", "two words", "tökén", "token\n", "token\r\nX-Other: 1", undefined, null, 7])(
    "is not sent for a token source that returns %j, and the value is in no message",
    async (token) => {
      const server = await ScriptedServer.start((response) => response.end());
      const source = (() => token) as unknown as TokenSource;
      const error = await failureOf(clientAt(server.origin, { credentials: bearer(source) }).haltTrading());
      expect(error).toBeInstanceOf(NotAppliedError);
      expect(error.reason).toMatch(/^there are no credentials to send: The token source gave no access token/);
      expect(server.requests).toEqual([]);
      if (typeof token === "string" && token !== "") expect(JSON.stringify([`${error}`, error])).not.toContain(token);
    },
  );
});

/** A server that accepts one token only. */
function accepting(token: string, challenge = 'Bearer error="invalid_token"'): Script {
  return (response, { headers, method }) => {
    if (headers.authorization !== `Bearer ${token}`) {
      return response.writeHead(401, { "WWW-Authenticate": challenge }).end();
    }
    return method === "GET" ? json(response, 200, []) : response.end();
  };
}

/** A source that has a new token when the one it gave was refused. */
function source(...tokens: string[]): TokenSource & { readonly refused: (string | undefined)[] } {
  const refused: (string | undefined)[] = [];
  const next: TokenSource = (token) => {
    refused.push(token);
    if (token === tokens[0]) tokens.shift();
    return tokens[0] ?? "none";
  };
  return Object.assign(next, { refused });
}

describe("a token that the API refuses as invalid", () => {
  it.each([
    ["a read", "listServices"],
    ["a mutation, too: 401 comes before everything else (D-HTTP 1), so nothing was sent to the engine", "haltTrading"],
  ] as const)("is replaced, once, for %s", async (_, name) => {
    const server = await ScriptedServer.start(accepting("new"));
    const tokens = source("old", "new");
    const client = clientAt(server.origin, { credentials: bearer(tokens) });
    await client[name]();
    expect(tokens.refused).toEqual([undefined, "old"]);
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(["Bearer old", "Bearer new"]);
    expect(new Set(server.requests.map(({ headers }) => headers["x-request-id"])).size).toBe(1);
    await client[name]();
    expect(server.requests).toHaveLength(3);
  });

  it.each([
    ["the new one is refused too", source("old", "newer"), 2],
    ["there is no other", () => "old", 1],
  ])("is final if the next one is %s", async (_, tokens, requests) => {
    const server = await ScriptedServer.start(accepting("newest"));
    const client = clientAt(server.origin, { credentials: bearer(tokens) });
    expect(await failureOf(client.haltTrading())).toBeInstanceOf(DeniedError);
    expect(server.requests).toHaveLength(requests);
  });

  it("is recognised with a realm before the error", async () => {
    const server = await ScriptedServer.start(accepting("new", 'Bearer realm="ops", error="invalid_token"'));
    await clientAt(server.origin, { credentials: bearer(source("old", "new")) }).haltTrading();
    expect(server.requests).toHaveLength(2);
  });

  it.each(["Bearer", 'Bearer error="insufficient_scope"', 'Basic realm="invalid_token"'])(
    "is final if the challenge says something else: %s",
    async (challenge) => {
      const server = await ScriptedServer.start(accepting("new", challenge));
      const client = clientAt(server.origin, { credentials: bearer(source("old", "new")) });
      expect(await failureOf(client.listServices())).toBeInstanceOf(DeniedError);
      expect(server.requests).toHaveLength(1);
    },
  );

  it("without another one means that the mutation was not applied, and the reason is kept", async () => {
    const server = await ScriptedServer.start(accepting("new"));
    const cause = new Error("the vault is sealed");
    const credentials = bearer((refused) => (refused ? Promise.reject(cause) : "old"));
    const error = await failureOf(clientAt(server.origin, { credentials }).haltTrading());
    expect(error).toBeInstanceOf(NotAppliedError);
    expect(error).toMatchObject({ cause, reason: "there are no credentials to send: the vault is sealed" });
  });
});

it.each(["ftp://h", "monitor:8988", "", "/api", "http://h/?a=1", "http://h/#a", "https://ops:secret@h"])(
  "is never sent to the address %j, which is refused immediately, without being quoted",
  (baseUrl) => {
    expect(() => clientAt(baseUrl)).toThrow(TypeError);
    expect(() => clientAt(baseUrl)).toThrow(/^baseUrl must/);
    expect(() => clientAt(baseUrl)).not.toThrow("secret");
  },
);
