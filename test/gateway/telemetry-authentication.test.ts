import { X509Certificate } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { KeyServer } from "../auth/token/key-server.ts";
import { signingKey } from "../auth/token/tokens.ts";
import { askSecure } from "../deploy/watched-gateways.ts";
import { type RawReply, sendRaw } from "../support/raw-http.ts";
import { pathOf, textOf } from "../tls/stores.ts";
import { Scrape, samplesOf } from "./exposition.ts";
import { CHIEF, InstallationFolder } from "./folder.ts";

const FAILED = "trading_admin_failed_logins_total";
const FETCHED = "trading_admin_key_set_fetched_timestamp_seconds";
const EXPIRY = "trading_admin_key_set_expiry_timestamp_seconds";
const STALE = "trading_admin_key_set_stale";

const key = await signingKey("one");

let folder: InstallationFolder;

beforeEach(() => {
  folder = new InstallationFolder();
});

afterEach(() => folder.close());

/** A gateway that takes tokens, its metrics on the management port. */
async function startWithTokens(
  provider: KeyServer,
): Promise<{ url: string; ask: (path: string) => Promise<RawReply> }> {
  const { url, managementUrl } = await folder.start(`
management.server.port: 0
security.oauth2: { authenticationType: PROVIDER, provider: { key-lifetime: 2h } }
spring.security.oauth2.resourceserver.jwt.jwk-set-uri: ${provider.origin}/keys`);
  return { url, ask: (path) => sendRaw(managementUrl, { path }) };
}

async function scrape(ask: (path: string) => Promise<RawReply>): Promise<Scrape> {
  return new Scrape(samplesOf((await ask("/actuator/prometheus")).body));
}

describe("the metric of failed logins", () => {
  it("counts wrong passwords, and neither requests without credentials nor right ones", async () => {
    const { url } = await folder.start("");
    const call = (authorization: string | null): Promise<RawReply> =>
      sendRaw(`${url}/api/admin/v1`, { path: "/services", authorization });
    await call(null);
    await call(CHIEF);
    for (const name of ["chief", "nobody"]) {
      expect((await call(`Basic ${Buffer.from(`${name}:wr0ng`).toString("base64")}`)).status).toBe(401);
    }
    expect((await Scrape.of(url)).value(FAILED, { result: "refused" })).toBe(2);
    expect((await Scrape.of(url)).value(FAILED, { result: "throttled" })).toBe(0);
  });

  it("counts invalid tokens, each gateway its own", async () => {
    const provider = await KeyServer.start({ "/keys": { keys: [key.jwk] } });
    const [asked, other] = [await startWithTokens(provider), await startWithTokens(provider)];
    const request = { path: "/api/admin/v1/services", authorization: "Bearer a.b.c" };
    expect((await sendRaw(asked.url, request)).status).toBe(401);
    const refused = async ({ ask }: typeof asked): Promise<unknown> =>
      (await scrape(ask)).value(FAILED, { result: "refused" });
    expect([await refused(asked), await refused(other)]).toEqual([1, 0]);
  });
});

describe("the metric of the age of the identity provider's keys", () => {
  it("shows when they were fetched and until when they are valid", async () => {
    // The gateway's steady clock may be some milliseconds off this one.
    const before = Math.floor(Date.now() / 1000) - 1;
    const { ask } = await startWithTokens(await KeyServer.start({ "/keys": { keys: [key.jwk] } }));
    const found = await scrape(ask);
    expect(found.value(FETCHED)).toBeGreaterThanOrEqual(before);
    expect(found.value(FETCHED)).toBeLessThanOrEqual(Date.now() / 1000 + 1);
    expect((found.value(EXPIRY) ?? 0) - (found.value(FETCHED) ?? 0)).toBeCloseTo(7200, 3);
    expect(found.value(STALE)).toBe(0);
    expect((await ask("/actuator/health")).status).toBe(200);
  });

  it("is 0 and stale for a provider that never responded: health is DOWN, and the gateway is ready all the same", async () => {
    const provider = await KeyServer.start();
    await provider.down();
    const { ask } = await startWithTokens(provider);
    const found = await scrape(ask);
    expect([FETCHED, EXPIRY, STALE].map((name) => found.value(name))).toEqual([0, 0, 1]);
    expect((await ask("/actuator/health")).status).toBe(503);
    expect((await ask("/actuator/health/readiness")).status).toBe(200);
  });

  it("does not exist without tokens", async () => {
    const { url } = await folder.start("");
    expect((await Scrape.of(url)).value(FETCHED)).toBeUndefined();
  });
});

describe("the metric of the time until which the certificate is valid", () => {
  it("is in the metrics, and in the details of health", async () => {
    const { url } = await folder.start(
      `server.ssl: { certificate: ${pathOf("rsa.pem")}, certificate-private-key: ${pathOf("rsa.key")} }`,
    );
    const { validTo } = new X509Certificate(textOf("rsa.pem"));
    const { body } = await askSecure(`${url}/actuator/prometheus`, "GET");
    const value = new Scrape(samplesOf(body)).value("trading_admin_certificate_expiry_timestamp_seconds");
    expect(value).toBe(Date.parse(validTo) / 1000);
    const health = await askSecure(`${url}/actuator/health`, "GET");
    expect(JSON.parse(health.body).components.certificate).toMatchObject({
      status: "UP",
      details: { expires: new Date(validTo).toISOString() },
    });
  });

  it("does not exist over plain HTTP", async () => {
    const { url } = await folder.start("");
    expect((await Scrape.of(url)).value("trading_admin_certificate_expiry_timestamp_seconds")).toBeUndefined();
  });
});
