import { createServer, IncomingMessage, ServerResponse } from "node:http";
import { type AddressInfo, Socket } from "node:net";
import express from "express";
import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { TrustedProxies } from "../../src/http/admin-http-options.ts";
import { CallerAddresses } from "../../src/http/client-address.ts";
import { adminMiddleware } from "../../src/http/express.ts";
import { adminHandler, type NodeListener } from "../../src/http/node.ts";
import { NodeRequest } from "../../src/http/node-messages.ts";
import { startTestRig } from "../../src/testing/rig.ts";
import { credentials, openSuiteAuthentication } from "../support/access-files.ts";
import { cases } from "../support/extent.ts";

const PROXIES = ["127.0.0.1", "10.0.0.0/8", "2001:db8:1::/48"];

function callerOf(
  peer: string | undefined,
  header: string,
  value: string | undefined,
  addresses = PROXIES,
): string | undefined {
  const name = header === "Forwarded" ? "Forwarded" : "X-Forwarded-For";
  const callers = new CallerAddresses({ addresses, header: name });
  return callers.callerOf(peer, (asked) => (asked === name.toLowerCase() ? value : undefined));
}

describe("D-GATE 3: the caller is the right-most address that is not a trusted proxy", () => {
  it.each<[string | undefined, string | undefined, string | undefined]>([
    // peer, X-Forwarded-For, caller
    ["203.0.113.1", "6.6.6.6", "203.0.113.1"],
    ["127.0.0.1", undefined, "127.0.0.1"],
    ["127.0.0.1", "", "127.0.0.1"],
    ["127.0.0.1", "203.0.113.9", "203.0.113.9"],
    ["::ffff:127.0.0.1", "203.0.113.9", "203.0.113.9"],
    ["::ffff:203.0.113.1", "6.6.6.6", "203.0.113.1"],
    ["10.1.1.1", "6.6.6.6, 203.0.113.9, 10.2.2.2", "203.0.113.9"],
    ["10.1.1.1", "6.6.6.6,203.0.113.9 ,10.2.2.2,", "203.0.113.9"],
    ["10.1.1.1", "10.3.3.3, 10.2.2.2", "10.3.3.3"],
    ["10.1.1.1", "203.0.113.9:4711", "203.0.113.9"],
    ["10.1.1.1", "[2001:db8:2::7]:4711", "2001:db8:2::7"],
    ["10.1.1.1", "2001:db8:2::7", "2001:db8:2::7"],
    ["10.1.1.1", "::ffff:203.0.113.9", "203.0.113.9"],
    ["2001:db8:1::5", "203.0.113.9", "203.0.113.9"],
    ["fe80::1%eth0", "6.6.6.6", "fe80::1"],
    ["10.1.1.1", "6.6.6.6, unknown", "10.1.1.1"],
    ["10.1.1.1", "6.6.6.6, unknown, 10.2.2.2", "10.2.2.2"],
    ["10.1.1.1", "203.0.113.9, 10.2.2.2'", "10.1.1.1"],
    ["10.1.1.1", "a203.0.113.9:4711", "10.1.1.1"],
    ["10.1.1.1", "203.0.113.9:4711a", "10.1.1.1"],
    ["10.1.1.1", "a[2001:db8:2::7]:4711", "10.1.1.1"],
    ["10.1.1.1", "[2001:db8:2::7]:4711a", "10.1.1.1"],
    [undefined, "6.6.6.6", undefined],
  ])("%s with X-Forwarded-For: %s is %s", (peer, value, caller) => {
    expect(callerOf(peer, "X-Forwarded-For", value)).toBe(caller);
  });

  it.each<[string, string]>([
    ["for=203.0.113.9", "203.0.113.9"],
    ["For=203.0.113.9;proto=https;by=10.1.1.1", "203.0.113.9"],
    ['proto=https; for="203.0.113.9:80"', "203.0.113.9"],
    ['for="[2001:db8:2::7]:4711"', "2001:db8:2::7"],
    ["for=6.6.6.6, for=203.0.113.9, for=10.2.2.2", "203.0.113.9"],
    ['for=6.6.6.6;host="a,for=7.7.7.7", for=203.0.113.9', "203.0.113.9"],
    ['for=6.6.6.6;host="a\\"b", for=203.0.113.9', "203.0.113.9"],
    ['for="6.6.6.6, for=203.0.113.9', "203.0.113.9"],
    ['for="6.6.6.6, for="203.0.113.9:80"', "203.0.113.9"],
    ["for=_hidden, for=10.2.2.2", "10.2.2.2"],
    ["for=unknown", "10.1.1.1"],
    ["proto=https", "10.1.1.1"],
    ["6.6.6.6", "10.1.1.1"],
    ['host=";for=6.6.6.6";for=203.0.113.9', "203.0.113.9"],
    ['host="a\\\\";for=203.0.113.9', "203.0.113.9"],
    ['host="a\\";for=203.0.113.9', "10.1.1.1"],
    ["for=203.0.113.9;", "10.1.1.1"],
    ['for=203.0.113.9;host="a,b"', "203.0.113.9"],
    ['for=203.0.113.9;host="a,for=6.6.6.6", for=10.2.2.2', "203.0.113.9"],
  ])("with Forwarded: %s it is %s", (value, caller) => {
    expect(callerOf("10.1.1.1", "Forwarded", value)).toBe(caller);
  });

  it("the header that the proxies do not write is not believed", () => {
    const callers = new CallerAddresses({ addresses: PROXIES, header: "Forwarded" });
    expect(callers.callerOf("10.1.1.1", (name) => (name === "x-forwarded-for" ? "6.6.6.6" : undefined))).toBe(
      "10.1.1.1",
    );
  });

  it("property: what stands in front of the address that a trusted proxy wrote changes nothing", () => {
    const junk = fc.oneof(
      fc.string({ maxLength: 60 }),
      fc.constantFrom('"', "for=", 'for="', "6.6.6.6,", "\\", ";", ","),
    );
    fc.assert(
      fc.property(fc.array(junk, { maxLength: 5 }), (front) => {
        const spoofed = front.join("").replace(/[\r\n]/g, "");
        expect(callerOf("10.1.1.1", "X-Forwarded-For", `${spoofed}, 203.0.113.9`)).toBe("203.0.113.9");
        expect(callerOf("10.1.1.1", "Forwarded", `${spoofed}, for="203.0.113.9:80";proto=https`)).toBe("203.0.113.9");
      }),
      { numRuns: cases(2_000) },
    );
  });

  it.each(["proxy", "10.0.0.0/33", "10.0.0.0/8/8", "fe80::1%eth0", ""])("%j is not a trusted proxy", (address) => {
    expect(() => new CallerAddresses({ addresses: [address] })).toThrow(
      `Trusted proxy "${address}" must be an address or a network (CIDR)`,
    );
  });
});

describe("D-LOAD 11: the caller of a request is found with bounded work", () => {
  it("proxies in a row are believed up to the 64th, whatever stands before them", () => {
    const proxies = Array.from({ length: 100 }, (_, index) => `10.0.1.${100 - index}`);
    for (const value of [
      ["203.0.113.9", ...proxies],
      ["junk", ...proxies],
    ]) {
      expect(callerOf("10.1.1.1", "X-Forwarded-For", value.join(", "))).toBe("10.0.1.64");
      expect(callerOf("10.1.1.1", "Forwarded", `for=${value.join(", for=")}`)).toBe("10.0.1.64");
    }
  });

  it("a request looks for its caller once, and only when somebody asks", async () => {
    const reads = vi.spyOn(CallerAddresses.prototype, "callerOf");
    const request = new IncomingMessage(new Socket());
    const asked = new NodeRequest(request, new ServerResponse(request), "/", new CallerAddresses());
    expect(reads).not.toHaveBeenCalled();
    expect([asked.address, asked.address]).toEqual([undefined, undefined]);
    expect(reads).toHaveBeenCalledOnce();
    reads.mockRestore();
  });
});

describe("D-LOG 5: the audit record has the address of the caller", () => {
  const closing: (() => Promise<unknown> | unknown)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  async function auditedAddress(mount: "node" | "express", trustedProxies?: TrustedProxies): Promise<unknown> {
    const rig = await startTestRig();
    const authentication = await openSuiteAuthentication();
    const options = { authenticator: authentication.authenticator, ...(trustedProxies && { trustedProxies }) };
    const listener: NodeListener =
      mount === "node" ? adminHandler(rig.api, options) : express().use(...adminMiddleware(rig.api, options));
    const server = createServer(listener).listen(0, "127.0.0.1");
    closing.push(
      () => rig.close(),
      () => authentication.close(),
      () => new Promise((resolve) => server.close(resolve).closeAllConnections()),
    );
    await new Promise((resolve) => server.once("listening", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/admin/v1/trading/resume`;
    const headers = { Authorization: credentials("chief"), "X-Forwarded-For": "6.6.6.6, 203.0.113.9" };
    expect((await fetch(url, { method: "POST", headers })).status).toBe(200);
    return rig.audit.records[0]?.address;
  }

  it.each(["node", "express"] as const)("%s: behind a trusted proxy, and not behind one that is not", async (mount) => {
    expect(await auditedAddress(mount)).toBe("127.0.0.1");
    expect(await auditedAddress(mount, { addresses: ["127.0.0.0/8"] })).toBe("203.0.113.9");
    expect(await auditedAddress(mount, { addresses: ["10.0.0.0/8"] })).toBe("127.0.0.1");
  });
});
