import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RawReply, type RawRequest, sendRaw } from "../support/raw-http.ts";
import { serveExample } from "./example.ts";
import type { ServingProcess } from "./serving-process.ts";

const TOKEN = "s3cret-of-the-night-job";
const AUTHORIZATION = `Bearer ${TOKEN}`;

describe("examples/raw-http.ts", () => {
  let example: ServingProcess;

  beforeAll(async () => {
    example = await serveExample("raw-http", { environment: { ADMIN_TOKEN: TOKEN } });
  });

  afterAll(() => example?.close());

  function send(request: RawRequest): Promise<RawReply> {
    return sendRaw(example.url, { authorization: AUTHORIZATION, ...request });
  }

  async function json(path: string): Promise<unknown> {
    return JSON.parse((await send({ path })).body);
  }

  it("serves the API below the host's own base path, and nowhere else", async () => {
    expect(await json("/ops/trading/services")).toMatchObject([{ name: "SIM" }, { name: "TWAP" }]);
    const elsewhere = await send({ path: "/api/admin/v1/services", authorization: null, foreign: true });
    expect(elsewhere.body).toBe("GET /api/admin/v1/services does not belong to the API\n");
    const similar = await send({ path: "/ops/tradings", authorization: null, foreign: true });
    expect(similar.body).toBe("GET /ops/tradings does not belong to the API\n");
  });

  it.each([
    ["none", null, 'Bearer realm="ops"'],
    ["of another scheme", `Basic ${Buffer.from(`night-job:${TOKEN}`).toString("base64")}`, 'Bearer realm="ops"'],
    ["another token", "Bearer s3cret-of-the-night-jo0", 'Bearer realm="ops", error="invalid_token"'],
    ["a part of the token", `Bearer ${TOKEN.slice(0, -1)}`, 'Bearer realm="ops", error="invalid_token"'],
    ["a longer token", `Bearer ${TOKEN}x`, 'Bearer realm="ops", error="invalid_token"'],
  ])(
    "D-HTTP 11: sends a 401 with the challenge of the host's authenticator for credentials: %s",
    async (_, authorization, challenge) => {
      const { status, headers, body } = await send({ path: "/ops/trading/services", authorization });
      expect({ status, body, challenge: headers["www-authenticate"] }).toEqual({ status: 401, body: "", challenge });
    },
  );

  it("lets the service account do what it was granted, and records it under its name", async () => {
    expect(await send({ path: "/ops/trading/trading/halt", method: "POST" })).toMatchObject({ status: 200, body: "" });
    await expect.poll(() => json("/ops/trading/trading/status")).toMatchObject({ halted: true });
    const adjust = await send({ path: "/ops/trading/services/SIM/disable", method: "POST" });
    expect(adjust.status).toBe(403);
    expect(JSON.parse(adjust.body).message).toContain("ENABLE_DISABLE_SERVICE");
    const recorded = (): string[] =>
      example
        .output()
        .split("\n")
        .filter((line) => line.startsWith("night-job "));
    await expect
      .poll(recorded)
      .toEqual(["night-job haltTrading: intent", "night-job haltTrading: applied", "night-job disableService: denied"]);
  });

  it("never prints the token", () => expect(example.output()).not.toContain(TOKEN));

  it("closes in good order on SIGTERM", async () => {
    expect(await example.terminate()).toBe(0);
    expect(example.output()).toMatch(/\nstopped\n$/);
    await expect(send({ path: "/" })).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });
});

describe("examples/raw-http.ts without a token", () => {
  it.each([undefined, ""])("D-HTTP 9: is closed with ADMIN_TOKEN %j", async (token) => {
    const example = await serveExample("raw-http", token === undefined ? {} : { environment: { ADMIN_TOKEN: token } });
    try {
      for (const authorization of [null, "Bearer ", AUTHORIZATION]) {
        const { status, body } = await sendRaw(example.url, { path: "/ops/trading/services", authorization });
        expect(status).toBe(403);
        expect(JSON.parse(body).message).toBe("The API is closed: ADMIN_TOKEN is not set");
      }
    } finally {
      await example.close();
    }
  });
});
