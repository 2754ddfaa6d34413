import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { basicAuthenticator } from "../../src/auth/basic-authenticator.ts";
import { traceparentOf } from "../../src/http/headers.ts";
import { adminHandler } from "../../src/http/node.ts";
import { startTestRig } from "../../src/testing/rig.ts";
import { exchange, head } from "../gateway/connection.ts";
import type { HttpWorld } from "../support/world.ts";
import { rule } from "./rule.ts";

/** What comes for a resumption with these lines of the header behind its own. */
async function resume({ url, origin, authentication }: HttpWorld, host: string, ...lines: readonly string[]) {
  const head = [
    `POST ${new URL(url).pathname}/trading/resume HTTP/1.1`,
    `Host: ${host}`,
    `Authorization: ${authentication.credentials("chief")}`,
    "Content-Length: 0",
    "Connection: close",
  ];
  const reply = await exchange(origin, [...head, ...lines, "", ""].join("\r\n"));
  const [, body = ""] = reply.split("\r\n\r\n");
  return { status: Number(reply.split(" ", 2)[1]), message: body && JSON.parse(body).message, reply };
}

const fields = (count: number): string[] => Array.from({ length: count }, (_, index) => `X${index}:1`);

describe("D-HTTP 34: a request with more header fields than are read", () => {
  rule("is 431 and not applied, whatever stands behind them", async (world) => {
    for (const lines of [
      fields(1_000),
      [...fields(1_000), "Host: b"],
      [...fields(2_000), "Authorization: Basic eDp5"],
    ]) {
      const { status, message, reply } = await resume(world, "x", ...lines);
      expect([status, message]).toEqual([431, "The request has too many header fields"]);
      expect(reply).toMatch(/\r\nX-Admin-Outcome: not-applied\r\n/i);
    }
    expect(world.gate.seen).toEqual([]);
  });

  rule(
    "is refused before credentials are looked at, which may be among those that were dropped",
    async ({ url, origin }) => {
      const head = [`GET ${new URL(url).pathname}/services HTTP/1.1`, "Host: x", "Connection: close", ...fields(1_000)];
      expect(await exchange(origin, [...head, "", ""].join("\r\n"))).toMatch(/^HTTP\/1\.1 431 /);
    },
  );

  rule("while 990 fields are read, the last among them", async (world) => {
    const { status } = await resume(world, "x", ...fields(980), "X-Request-Id: last");
    expect([status, world.gate.seen[0]?.context.requestId]).toEqual([200, "last"]);
  });

  it("goes by the limit of the host's own server where that keeps fewer", async () => {
    const rig = await startTestRig();
    const authenticator = basicAuthenticator({ realm: "test", verify: () => undefined });
    const server = createServer(adminHandler(rig.api, { authenticator }));
    server.maxHeadersCount = 20;
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const asking = (count: number): string => head("GET", "/services", "Connection: close", ...fields(count));
    expect(await exchange(origin, asking(17))).toMatch(/^HTTP\/1\.1 401 /);
    expect(await exchange(origin, asking(18))).toMatch(/^HTTP\/1\.1 431 /);
    server.close();
    await rig.close();
  });
});

describe("D-HTTP 35: a Host", () => {
  rule("that RFC 9112 forbids is 400 and not applied", async (world) => {
    const forbidden = ["a b", "a\tb", "user@a", "a/b", "http://a", "a:b", "a:1:2", "a%", "a%zz", "ä", 'a"', "a, b"];
    for (const host of [
      ...forbidden,
      "a?b",
      "a#b",
      "a\\b",
      "<a>",
      "[",
      "[]",
      "[::1",
      "[::1]x",
      "[fe80::1%25eth0]",
      "::1",
    ]) {
      const { status, message } = await resume(world, host);
      expect({ host, status, message }).toEqual({
        host,
        status: 400,
        message: `The header Host ${host === "a, b" ? "is there more than once" : "is not valid"}`,
      });
    }
    expect(world.gate.seen).toEqual([]);
  });

  rule("that it allows is served", async (world) => {
    const allowed = [
      "",
      "x",
      "X.example.",
      "a_b",
      "a:",
      "a:8988",
      "127.0.0.1:80",
      "xn--mnchen-3ya.de",
      "a%C3%A4",
      "a,b",
      "~!$&'()*+;=",
    ];
    for (const host of [...allowed, "[::1]", "[::1]:8988", "[::ffff:127.0.0.1]", "[v1.a:b]"]) {
      expect({ host, status: (await resume(world, host)).status }).toEqual({ host, status: 200 });
    }
  });
});

describe("D-HTTP 23: a traceparent", () => {
  const TRACE = "12345678901234567890123456789012";
  const PARENT = "1234567890123456";
  const VALID = `00-${TRACE}-${PARENT}-01`;

  // After the tests of the W3C (trace-context, test/test.py), BSD-3-Clause.
  it.each([
    ["as it should be", VALID, VALID],
    ["with flags that are reserved", `00-${TRACE}-${PARENT}-ff`, `00-${TRACE}-${PARENT}-ff`],
    ["of a later version", `cc-${TRACE}-${PARENT}-01`, VALID],
    ["of a later version with more", `cc-${TRACE}-${PARENT}-01-what-the-future-will-be-like`, VALID],
    ["of a later version with other flags", `01-${TRACE}-${PARENT}-f2`, `00-${TRACE}-${PARENT}-00`],
  ])("%s is kept in the form of version 00", (_, given, expected) => {
    expect(traceparentOf(given)).toBe(expected);
  });

  it.each([
    ["none", undefined],
    ["version ff", `ff-${TRACE}-${PARENT}-01`],
    ["more than version 00 has", `${VALID}-x`],
    ["more, without a dash", `cc-${TRACE}-${PARENT}-01.what-the-future-will-be-like`],
    ["an upper-case version", `AA-${TRACE}-${PARENT}-01`],
    ["a version of one digit", `0-${TRACE}-${PARENT}-01`],
    ["a version of three digits", `000-${TRACE}-${PARENT}-01`],
    ["a trace of zeros", `00-${"0".repeat(32)}-${PARENT}-01`],
    ["a parent of zeros", `00-${TRACE}-${"0".repeat(16)}-01`],
    ["a trace of zeros in a later version", `cc-${"0".repeat(32)}-${PARENT}-01`],
    ["a trace in capitals", `00-${"A".repeat(32)}-${PARENT}-01`],
    ["a trace that is too short", `00-${TRACE.slice(1)}-${PARENT}-01`],
    ["a trace that is too long", `00-${TRACE}0-${PARENT}-01`],
    ["a parent with a point", `00-${TRACE}-.${PARENT.slice(1)}-01`],
    ["flags with a point", `00-${TRACE}-${PARENT}-.0`],
    ["flags of three digits", `00-${TRACE}-${PARENT}-001`],
    ["two headers", `${VALID}, ${VALID}`],
    ["two headers of a later version", `cc-${TRACE}-${PARENT}-01-x, ${VALID}`],
  ])("that is not valid is dropped: %s", (_, given) => {
    expect(traceparentOf(given)).toBeUndefined();
  });
});
