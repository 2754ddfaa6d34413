import { scryptSync } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type RawReply, sendRaw } from "../support/raw-http.ts";
import { CHIEF, PASSWORD } from "./folder.ts";
import { ProxyWorld } from "./proxy/world.ts";

const API = "/api/admin/v1";
const PAGES = ["/console", "/swagger-ui.html"];

type Headers = Readonly<Record<string, string>>;

/** What Chromium says of a page that a person navigates to. */
const NAVIGATION = {
  "Sec-Fetch-Site": "none",
  "Sec-Fetch-Mode": "navigate",
  "Sec-Fetch-User": "?1",
  "Sec-Fetch-Dest": "document",
};

/** What it says of a page that a script or an element of a page loads. */
const LOADS: readonly Headers[] = [
  { "Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty" },
  { "Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "empty" },
  { "Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "script" },
  { "Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe" },
  { "Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "object" },
  { "Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "embed" },
  { "Sec-Fetch-Mode": "navigate" },
  { "Sec-Fetch-Dest": "document" },
  {},
];

let world: ProxyWorld;

beforeEach(async () => {
  world = await ProxyWorld.start("gateway.console.enabled: true");
});

afterEach(() => world.close());

/** What Chromium says of a command that a page's script sends. */
function ofScript(): Headers {
  const origin = { Origin: world.url, Referer: `${world.url}/console` };
  return { ...origin, "Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty" };
}

function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
}

function halt(headers: Headers, authorization = CHIEF): Promise<RawReply> {
  return sendRaw(world.url, { method: "POST", path: `${API}/trading/halt`, authorization, headers });
}

async function isHalted(): Promise<boolean> {
  const { body } = await sendRaw(world.url, { path: `${API}/trading/status`, authorization: CHIEF });
  return (JSON.parse(body) as { halted: boolean }).halted;
}

/** The key in a page that is asked for with these headers; undefined for a page without one. */
async function keyIn(page: string, headers: Headers, authorization = CHIEF): Promise<string | undefined> {
  const { status, body } = await sendRaw(world.url, { path: page, authorization, headers, foreign: true });
  expect(status).toBe(200);
  return /<meta name="trading-admin-page-key" content="([^"]+)">/.exec(body)?.[1];
}

async function keyOf(authorization = CHIEF): Promise<string> {
  return (await keyIn("/console", NAVIGATION, authorization)) ?? "none";
}

/** The stages of the records of halts. */
function recorded(): unknown[] {
  return world.folder
    .log()
    .filter(({ operation, stage }) => operation === "haltTrading" && stage !== undefined)
    .map(({ stage }) => stage);
}

describe("D-HTTP 30: beside a monitor, a command that a browser sends with HTTP Basic needs the key of a page", () => {
  it("without one, with a cut, longer or differently written one it is 403, recorded as denied, and not sent", async () => {
    const key = await keyOf();
    const wrong = [undefined, "", "x", key.slice(1), key.slice(0, -1), `${key}x`, key.toUpperCase(), key.toLowerCase()];
    for (const given of wrong) {
      const reply = await halt({ ...ofScript(), ...(given !== undefined && { "X-Admin-Page-Key": given }) });
      expect(reply.status, given).toBe(403);
      expect(reply.headers["x-admin-outcome"]).toBe("not-applied");
      expect(reply.body).toContain("Only the console and the interactive page may send commands");
    }
    expect(recorded()).toEqual(wrong.map(() => "denied"));
    expect(await isHalted()).toBe(false);
  });

  it("with the key of the page it is sent, also in another spelling of the header", async () => {
    const key = await keyOf();
    expect((await halt({ ...ofScript(), "x-admin-page-key": key })).status).toBe(200);
    await expect.poll(isHalted).toBe(true);
  });

  it("the key of another user, and that of an earlier password, are none", async () => {
    world.folder.addUser("second");
    const second = basic("second", PASSWORD);
    await expect.poll(async () => (await halt({ "X-Case": "known" }, second)).status).toBe(200);
    const [mine, theirs] = [await keyOf(), await keyOf(second)];
    expect(theirs).not.toBe(mine);
    expect((await halt({ ...ofScript(), "X-Admin-Page-Key": theirs })).status).toBe(403);
    expect((await halt({ ...ofScript(), "X-Admin-Page-Key": mine }, second)).status).toBe(403);
    const file = "uac-file-security.xml";
    const changed = `<config xmlns="http://xml.deltixlab.com/internal/quantserver/3.0"><users>
      <user id="chief"><password>another horse 8 battery</password></user></users></config>`;
    world.folder.write(file, changed);
    const now = basic("chief", "another horse 8 battery");
    await expect.poll(async () => (await halt({}, now)).status).toBe(200);
    expect((await halt({ ...ofScript(), "X-Admin-Page-Key": mine }, now)).status).toBe(403);
    expect((await halt({ ...ofScript(), "X-Admin-Page-Key": await keyOf(now) }, now)).status).toBe(200);
  });

  it("the key is a slow hash of the credentials, which each gateway derives: who sees one does not find the password by trying", async () => {
    const cost = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };
    const credentials = `chief:${PASSWORD}`;
    expect(await keyOf()).toBe(scryptSync(credentials, "key of a page", 32, cost).toString("base64url"));
  });

  it("however the credentials are written, it is the same, so that nobody keeps others waiting by writing theirs in many ways", async () => {
    const key = await keyOf();
    const [, base64 = ""] = CHIEF.split(" ");
    for (const other of [`basic ${base64}`, `BASIC    ${base64}`, basic("CHIEF", PASSWORD)]) {
      expect(await keyOf(other), other).toBe(key);
      expect((await halt({ ...ofScript(), "X-Admin-Page-Key": key }, other)).status, other).toBe(200);
    }
  });

  it.each(PAGES)("%s has the key only when a person navigates to it, and is never stored", async (page) => {
    expect(await keyIn(page, NAVIGATION)).toMatch(/^[\w-]{43}$/);
    expect(await keyIn(page, { ...NAVIGATION, "Sec-Fetch-Site": "same-origin" })).toMatch(/^[\w-]{43}$/);
    for (const headers of LOADS) expect(await keyIn(page, headers), JSON.stringify(headers)).toBe(undefined);
    const { headers } = await sendRaw(world.url, {
      path: page,
      authorization: CHIEF,
      headers: NAVIGATION,
      foreign: true,
    });
    expect(headers).toMatchObject({ "cache-control": "no-store", "cross-origin-opener-policy": "same-origin" });
    expect(headers).not.toHaveProperty("etag");
  });

  it("programs, which send none of a browser's headers, need no key; reads need none from anybody", async () => {
    const reads = { path: `${API}/services`, authorization: CHIEF, headers: ofScript() };
    expect((await sendRaw(world.url, reads)).status).toBe(200);
    for (const headers of [{}, { "User-Agent": "curl/8.5.0" }, { Referer: "http://elsewhere/" }]) {
      expect((await halt(headers)).status).toBe(200);
    }
  });

  it("a command of a page of another site stays refused, with the key, too", async () => {
    const key = { "X-Admin-Page-Key": await keyOf() };
    expect((await halt({ ...ofScript(), ...key, "Sec-Fetch-Site": "cross-site" })).status).toBe(403);
    expect((await halt({ ...key, Origin: "http://elsewhere" })).status).toBe(403);
    expect(await isHalted()).toBe(false);
  });
});

describe("D-HTTP 30: without a monitor nothing else has the origin", () => {
  it("so commands of browsers need no key", async () => {
    const { url } = await world.folder.start("");
    const command = { method: "POST", path: `${API}/trading/halt`, authorization: CHIEF };
    const headers = { Origin: url, "Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors" };
    expect((await sendRaw(url, { ...command, headers })).status).toBe(200);
  });
});
