import { beforeAll, describe, expect, it } from "vitest";
import { ENTRIES, requireBuild } from "./build.ts";
import { openConsumer } from "./consumer.ts";
import { loadedPackages } from "./imports.ts";

/** What each entry makes a user's program load. Nobody pays for what he does not use. */
const LOADED: Readonly<Record<string, string>> = {
  "trading-admin-api": "zod",
  "trading-admin-api/extend": "lru-cache zod",
  "trading-admin-api/node": "ipaddr.js lru-cache zod",
  "trading-admin-api/express": "ipaddr.js lru-cache zod",
  "trading-admin-api/auth": "fastest-levenshtein ipaddr.js lru-cache",
  "trading-admin-api/audit": "",
  "trading-admin-api/client": "",
  "trading-admin-api/console": "zod",
  "trading-admin-api/engine": "decimal.js fastest-levenshtein yaml zod",
  "trading-admin-api/gateway": "decimal.js fastest-levenshtein ipaddr.js lru-cache pino swagger-ui-dist yaml zod",
  "trading-admin-api/openapi": "swagger-ui-dist yaml zod",
  "trading-admin-api/policy": "fastest-levenshtein zod",
  "trading-admin-api/testing": "decimal.js fastest-levenshtein ipaddr.js lru-cache yaml zod",
  "trading-admin-api/transports/in-process": "",
  "trading-admin-api/transports/websocket": "fastest-levenshtein ws zod",
  "trading-admin-api/transports/nats": "@nats-io/transport-node fastest-levenshtein zod",
};

describe("D-PKG 2: what an entry loads", () => {
  beforeAll(requireBuild);

  it("pin: is the packages of a list; Express is behind none, not even its own", () => {
    const loaded = ENTRIES.map(({ specifier, code }) => [specifier, loadedPackages(code).join(" ")]);
    expect(Object.fromEntries(loaded)).toEqual(LOADED);
  });

  it("is neither Express nor what belongs to log, access files and engine for the core, as Node itself sees it", async () => {
    const consumer = openConsumer();
    // A loader hook tells what is resolved, whatever the imports look like.
    consumer.write(
      "hook.js",
      `export async function resolve(specifier, context, next) {
        const found = await next(specifier, context);
        if (!found.url.startsWith("node:")) process._rawDebug(found.url);
        return found;
      }`,
    );
    const program = consumer.write(
      "graph.js",
      `import { register } from "node:module";
      register("./hook.js", import.meta.url);
      await import("trading-admin-api");`,
    );
    try {
      const { code, stderr } = await consumer.node(program);
      expect(code).toBe(0);
      const packages = stderr.match(/(?<=\/node_modules\/)(?:@[^/]+\/)?[^/]+/g);
      expect([...new Set(packages)].toSorted()).toEqual(LOADED["trading-admin-api"]?.split(" "));
    } finally {
      consumer.close();
    }
  });
});
