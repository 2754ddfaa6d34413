import { beforeEach, describe, expect, it } from "vitest";
import type { HttpRequest } from "../../src/http/message.ts";
import { PageKeys } from "../../src/http/page-key.ts";

/** Credentials of which a key is being derived, or was, and what ends the derivation. */
let begun: string[];
let ends: (() => void)[];
let keys: PageKeys;

beforeEach(() => {
  [begun, ends] = [[], []];
  keys = new PageKeys(async (credentials) => {
    begun.push(credentials);
    await new Promise<void>((resolve) => ends.push(resolve));
    return `key of ${credentials}`;
  });
});

function navigation(user: string, password: string): HttpRequest & { isDisconnected: boolean } {
  const headers: Record<string, string> = {
    authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`,
    "sec-fetch-mode": "navigate",
    "sec-fetch-dest": "document",
  };
  const readBody = (): Promise<never> => Promise.reject(new Error("there is no body"));
  const header = (name: string): string | undefined => headers[name];
  return {
    method: "GET",
    target: "/",
    address: undefined,
    isBodyDeclared: false,
    isDisconnected: false,
    header,
    readBody,
  };
}

function navigate(user: string, password: string, request = navigation(user, password)): Promise<string | undefined> {
  return keys.keyFor(request, { name: user, isPasswordVerified: true });
}

/** Ends derivations one after the other until no more is begun; each ending lets what waits for it happen. */
async function endAll(): Promise<void> {
  for (let end = ends.shift(); end; end = ends.shift()) {
    end();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe("D-HTTP 30: a user who has many right passwords, as bcrypt compares the first 72 bytes only", () => {
  it("does not keep others waiting for their keys: users take turns", async () => {
    const many = Array.from({ length: 50 }, (_, index) => navigate("reader", `${"l".repeat(72)}${index}`));
    const chief = navigate("chief", "secret");
    await endAll();
    expect(await chief).toBe("key of chief:secret");
    expect(begun.indexOf("chief:secret")).toBeLessThan(3);
    expect((await Promise.all(many)).every((key) => key?.startsWith("key of reader:"))).toBe(true);
  });

  it("does not drive out the keys of others", async () => {
    const first = navigate("chief", "secret");
    await endAll();
    await first;
    const many = Array.from({ length: 2_000 }, (_, index) => navigate("reader", `${"l".repeat(72)}${index}`));
    await endAll();
    await Promise.all(many);
    begun = [];
    expect(await navigate("chief", "secret")).toBe("key of chief:secret");
    expect(begun).toEqual([]);
    void navigate("reader", `${"l".repeat(72)}0`);
    expect(begun).toHaveLength(1);
  });
});

describe("D-HTTP 30: a key of a page for a caller who has hung up", () => {
  it("is not derived", async () => {
    const running = navigate("reader", "first");
    const request = navigation("reader", "second");
    const gone = navigate("reader", "second", request);
    request.isDisconnected = true;
    await endAll();
    expect([await running, await gone]).toEqual(["key of reader:first", undefined]);
    expect(begun).toEqual(["reader:first"]);
  });

  it("is derived for another one who waits for it as well, and for a command, whose caller may have gone", async () => {
    const running = navigate("reader", "first");
    const requests = ["second", "third"].map((password) => navigation("reader", password));
    const gone = requests.map((request, index) => navigate("reader", index === 0 ? "second" : "third", request));
    for (const request of requests) request.isDisconnected = true;
    const another = navigate("reader", "second");
    const header = navigation("reader", "third").header;
    const command = {
      ...navigation("reader", "third"),
      isDisconnected: true,
      header: (name: string) => (name === "x-admin-page-key" ? "key of reader:third" : header(name)),
    };
    const isIn = keys.isIn(command, { name: "reader", isPasswordVerified: true });
    await endAll();
    expect(await Promise.all([running, another, ...gone])).toEqual([
      "key of reader:first",
      "key of reader:second",
      "key of reader:second",
      "key of reader:third",
    ]);
    expect(await isIn).toBe(true);
  });
});
