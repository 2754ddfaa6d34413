import { describe, expect, it } from "vitest";
import { clientCredentials } from "../../src/client/client-credentials.ts";
import { TokenRequestError } from "../../src/client/token-request.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { json, type Script, ScriptedServer } from "./scripted-server.ts";

const SECRET = "a-secret-of-the-test";
const LIFETIME_S = 600;
const LIFETIME_MS = LIFETIME_S * 1_000;

/** A token endpoint whose tokens count up. */
const ISSUING: Script = (response, _, count) =>
  json(response, 200, { access_token: `token-${count + 1}`, token_type: "Bearer", expires_in: LIFETIME_S });

async function provider(script: Script = ISSUING) {
  const current = { script };
  const server = await ScriptedServer.start((...request) => current.script(...request));
  const clock = new ManualClock();
  const options = { tokenUrl: `${server.origin}/oauth/token`, clientId: "bot", clientSecret: SECRET, clock };
  return { server, clock, options, current, next: clientCredentials(options) };
}

/** Waits until a provider has had so many requests. */
function asked(server: ScriptedServer, times: number): Promise<void> {
  return expect.poll(() => server.requests.length, { interval: 2 }).toBe(times);
}

describe("Authentication 6: a token", () => {
  it("costs one request to the provider for many concurrent calls, and for all that follow", async () => {
    const { server, next } = await provider();
    const tokens = await Promise.all(Array.from({ length: 100 }, () => next()));
    expect(new Set(tokens)).toEqual(new Set(["token-1"]));
    expect(await next()).toBe("token-1");
    expect(server.requests).toHaveLength(1);
  });

  it("is asked for again if the connection is lost before a response, once", async () => {
    const { server, next } = await provider((response, _, count) =>
      count === 0 ? response.destroy() : ISSUING(response, _, count),
    );
    expect(await next()).toBe("token-2");
    const lost = await provider((response) => response.destroy());
    await expect(lost.next()).rejects.toThrow(TokenRequestError);
    expect([server.requests.length, lost.server.requests.length]).toEqual([2, 2]);
  });

  it("is renewed in its last fifth, and no call waits for it", async () => {
    const { server, clock, next, current } = await provider();
    await next();
    clock.advance(LIFETIME_MS * 0.8 - 1);
    await next();
    expect(server.requests).toHaveLength(1);
    let answer = (): void => {};
    current.script = (...request) => {
      answer = () => void ISSUING(...request);
    };
    clock.advance(LIFETIME_MS * 0.1 + 1);
    expect(await Promise.all([next(), next(), next()])).toEqual(["token-1", "token-1", "token-1"]);
    await asked(server, 2);
    answer();
    await expect.poll(next, { interval: 2 }).toBe("token-2");
    expect(server.requests).toHaveLength(2);
  });

  it("is not renewed at the same moment by all clients that got theirs together", async () => {
    const { server, clock, options } = await provider();
    const sources = Array.from({ length: 40 }, () => clientCredentials(options));
    await Promise.all(sources.map((next) => next()));
    clock.advance(LIFETIME_MS * 0.85);
    await Promise.all(sources.map((next) => next()));
    await expect.poll(() => server.requests.length).toBeGreaterThan(40);
    // Half of forty, give or take so much that it fails once in a million runs.
    expect(server.requests.length).toBeLessThan(80);
    clock.advance(LIFETIME_MS * 0.05);
    await Promise.all(sources.map((next) => next()));
    await expect.poll(() => server.requests.length).toBe(80);
  });

  it("serves until it expires while the provider is down, which is not asked all the time", async () => {
    const { server, clock, next, current } = await provider();
    await next();
    current.script = (response) => response.writeHead(503).end();
    clock.advance(LIFETIME_MS * 0.9);
    for (let call = 0; call < 20; call += 1) expect(await next()).toBe("token-1");
    await asked(server, 2);
    await expect.poll(() => next().then(() => clock.pending)).toBe(0);
    clock.advance(4_999);
    await next();
    expect(server.requests).toHaveLength(2);
    clock.advance(5_001);
    await next();
    await asked(server, 3);
    clock.advance(LIFETIME_MS);
    await expect(next()).rejects.toThrow(TokenRequestError);
    current.script = ISSUING;
    expect(await next()).toMatch(/^token-/);
  });

  it("is given up when it is refused, unless another call has replaced it meanwhile", async () => {
    const { server, next } = await provider();
    const old = await next();
    expect(await Promise.all([next(old), next(old)])).toEqual(["token-2", "token-2"]);
    expect(await next(old)).toBe("token-2");
    expect(server.requests).toHaveLength(2);
  });

  it("without expires_in is kept for a minute", async () => {
    const { server, clock, next } = await provider((response, _, count) =>
      json(response, 200, { access_token: `t${count}`, token_type: "bearer" }),
    );
    await next();
    clock.advance(47_000);
    await next();
    expect(server.requests).toHaveLength(1);
    clock.advance(13_000);
    await next();
    expect(server.requests).toHaveLength(2);
  });
});

it("is requested as RFC 6749 section 4.4 says", async () => {
  const { server, options } = await provider();
  const asks = { ...options, clientSecret: "s e/c", scope: "a b", audience: "trading-admin" };
  await clientCredentials(asks)();
  await clientCredentials({ ...asks, authentication: "post" })();
  const [basic, post] = server.requests;
  expect(basic).toMatchObject({
    method: "POST",
    path: "/oauth/token",
    headers: {
      authorization: `Basic ${Buffer.from("bot:s+e%2Fc").toString("base64")}`,
      "content-type": "application/x-www-form-urlencoded",
    },
    body: "grant_type=client_credentials&scope=a+b&audience=trading-admin",
  });
  expect(post?.headers.authorization).toBeUndefined();
  expect(post?.body).toBe(
    "grant_type=client_credentials&client_id=bot&client_secret=s+e%2Fc&scope=a+b&audience=trading-admin",
  );
});

describe("TokenRequestError says why there is no token, and holds no secret", () => {
  it.each<[string, Script, string, string | undefined]>([
    [
      "invalid_client",
      (response) => json(response, 401, { error: "invalid_client", error_description: "client authentication failed" }),
      "status 401, invalid_client: client authentication failed",
      "invalid_client",
    ],
    ["a page", (response) => response.writeHead(500).end("<html>"), "status 500", undefined],
    ["a redirect", (response) => response.writeHead(302, { Location: "/x" }).end(), "status 302", undefined],
    ["no token", (response) => json(response, 200, { token_type: "Bearer" }), "no access_token", undefined],
    ["another type", (response) => json(response, 200, { access_token: "t", token_type: "mac" }), "Bearer", undefined],
    ["a list", (response) => json(response, 200, []), "no access_token", undefined],
    ["no response", (response) => response.destroy(), "fetch failed", undefined],
  ])("after %s", async (_, script, words, code) => {
    const { options, next } = await provider(script);
    const error: unknown = await next().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TokenRequestError);
    expect(error).toMatchObject({ code, cause: expect.any(Error) });
    const { message, stack, cause } = error as TokenRequestError;
    expect(message).toMatch(`${options.tokenUrl} gave no access token: `);
    expect(message).toContain(words);
    const shown = JSON.stringify([message, stack, error, `${cause}`]);
    for (const secret of [SECRET, Buffer.from(`bot:${SECRET}`).toString("base64")]) expect(shown).not.toContain(secret);
  });

  it("after no response in time", async () => {
    const { server, clock, next } = await provider(() => {});
    const failing = expect(next()).rejects.toThrow(/no response within 5000 ms/);
    await asked(server, 1);
    clock.advance(5_000);
    await failing;
  });

  it.each(["token", "ldap://h/token", "https://bot:secret@h/token"])("immediately for the address %s", (tokenUrl) => {
    const make = () => clientCredentials({ tokenUrl, clientId: "bot", clientSecret: SECRET });
    expect(make).toThrow(/^tokenUrl must/);
    expect(make).not.toThrow("secret");
  });
});
