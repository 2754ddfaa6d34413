import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { closedAuthenticator } from "../../src/auth/authenticator.ts";
import { BASE_PATH } from "../../src/core/conventions.ts";
import { startTestRig, type TestRig } from "../../src/testing/rig.ts";
import { credentials, openSuiteAuthentication } from "../support/access-files.ts";
import { HTTP_MOUNTS, type HttpMount, listenOn } from "../support/mounts.ts";
import { type RawReply, type RawRequest, sendRaw } from "../support/raw-http.ts";

const JSON_PATH = "/v3/api-docs";
const YAML_PATH = "/v3/api-docs.yaml";

type Ask = (request?: Partial<RawRequest>) => Promise<RawReply>;

let rig: TestRig;
let authentication: Awaited<ReturnType<typeof openSuiteAuthentication>>;

beforeAll(async () => {
  rig = await startTestRig();
  authentication = await openSuiteAuthentication();
});

afterAll(async () => {
  authentication.close();
  await rig.close();
});

/** Runs a test against a mount, asking beside the base path. */
async function over(mount: HttpMount, test: (ask: Ask) => Promise<void>, closed?: string): Promise<void> {
  const authenticator = closed === undefined ? authentication.authenticator : closedAuthenticator(closed);
  const listening = await listenOn(mount, rig.api, authenticator);
  try {
    const origin = listening.url.slice(0, -BASE_PATH.length);
    await test((request) => sendRaw(origin, { path: JSON_PATH, authorization: credentials("viewer"), ...request }));
  } finally {
    await listening.close();
  }
}

describe.each(HTTP_MOUNTS)("the documents are served [$name]", (mount) => {
  it("as JSON and as YAML of the same content, built once", () =>
    over(mount, async (ask) => {
      const json = await ask();
      const yaml = await ask({ path: YAML_PATH });
      expect(json.headers).toMatchObject({ "content-type": "application/json" });
      expect(yaml.headers).toMatchObject({ "content-type": "application/yaml" });
      expect(parse(yaml.body)).toEqual(JSON.parse(json.body));
      expect(yaml.body).not.toMatch(/[&*]a\d/);
      expect((await ask()).body).toBe(json.body);
    }));

  it("to readers who come concurrently, all with the same content and tag", () =>
    over(mount, async (ask) => {
      const replies = await Promise.all([1, 2, 3].map(() => ask({ path: YAML_PATH })));
      expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect(new Set(replies.map(({ headers, body }) => `${headers.etag} ${body}`)).size).toBe(1);
    }));

  it("and what could not be made for one reader is made for the next", async () => {
    let failures = 1;
    const make = async (): Promise<string> => {
      failures -= 1;
      if (failures >= 0) throw new Error("no room");
      return "made";
    };
    const document = { path: "/late", contentType: "text/plain", content: { make } };
    const listening = await listenOn(mount, rig.api, authentication.authenticator, { documents: [document] });
    try {
      const origin = listening.url.slice(0, -BASE_PATH.length);
      const ask = (): Promise<RawReply> => sendRaw(origin, { path: "/late", authorization: credentials("viewer") });
      expect((await ask()).status).toBe(500);
      expect(await ask()).toMatchObject({ status: 200, body: "made" });
    } finally {
      await listening.close();
    }
  });

  it("with a strong ETag: 304 without a body for the same tag, 200 for another", () =>
    over(mount, async (ask) => {
      const { headers, body } = await ask();
      const tag = headers.etag ?? "";
      expect(tag).toMatch(/^"[\w-]{43}"$/);
      const known = (value: string): Promise<RawReply> => ask({ headers: { "If-None-Match": value } });
      for (const value of [tag, `"other", ${tag}`, `W/${tag}`, "*", ` ${tag} `]) {
        const reply = await known(value);
        expect(reply, value).toMatchObject({
          status: 304,
          body: "",
          headers: { etag: tag, "cache-control": "no-store" },
        });
        expect(reply.headers["content-type"], value).toBeUndefined();
      }
      for (const value of ['"other"', tag.slice(1, -1), tag.slice(0, -2), ""]) {
        expect(await known(value), value).toMatchObject({ status: 200, body });
      }
      expect((await ask({ path: YAML_PATH })).headers.etag).not.toBe(tag);
      expect((await known("*")).headers["x-request-id"]).toMatch(/^[0-9a-f]{18}-\d+$/);
    }));

  it("D-HTTP 4, D-HTTP 8: HEAD works where GET does, OPTIONS says what is allowed, with the headers of all responses", () =>
    over(mount, async (ask) => {
      const get = await ask({ headers: { "X-Request-Id": "r-1" } });
      const head = await ask({ method: "HEAD", headers: { "X-Request-Id": "r-1" } });
      const { date: _getDate, ...expected } = get.headers;
      const { date: _headDate, ...found } = head.headers;
      expect(found).toEqual(expected);
      expect(found).toMatchObject({
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
        "x-request-id": "r-1",
        "content-length": String(Buffer.byteLength(get.body)),
      });
      expect(head.body).toBe("");
      expect(await ask({ method: "HEAD", headers: { "If-None-Match": "*" } })).toMatchObject({ status: 304 });
      const options = await ask({ method: "OPTIONS" });
      expect(options).toMatchObject({ status: 204, headers: { allow: "GET, HEAD, OPTIONS" } });
    }));

  it("D-HTTP 1: with 405, Allow and the API's body for other methods, whose bodies are not read", () =>
    over(mount, async (ask) => {
      for (const method of ["POST", "PUT", "DELETE", "PATCH"]) {
        const reply = await ask({ method, body: "not json" });
        expect(reply, method).toMatchObject({ status: 405, headers: { allow: "GET, HEAD, OPTIONS" } });
        expect(JSON.parse(reply.body)).toEqual({
          status: 405,
          error: "Method Not Allowed",
          message: "This path allows GET, HEAD, OPTIONS",
        });
      }
    }));

  it("to authenticated users only: 401 without credentials whatever the method, the tag or the path's query", () =>
    over(mount, async (ask) => {
      for (const method of ["GET", "HEAD", "OPTIONS", "POST"]) {
        for (const path of [JSON_PATH, YAML_PATH, `${JSON_PATH}?format=yaml`]) {
          const reply = await ask({ method, path, authorization: null, headers: { "If-None-Match": "*" } });
          expect(reply, `${method} ${path}`).toMatchObject({ status: 401, body: "" });
          expect(reply.headers.etag).toBeUndefined();
        }
      }
    }));

  it("D-HTTP 9: unless the API is closed", () =>
    over(
      mount,
      async (ask) => {
        const reply = await ask();
        expect(reply.status).toBe(403);
        expect(JSON.parse(reply.body)).toMatchObject({ message: "closed for the test" });
      },
      "closed for the test",
    ));

  it("D-HTTP 3: at exactly their paths, and a query changes nothing", () =>
    over(mount, async (ask) => {
      expect(await ask({ path: `${JSON_PATH}?x=1` })).toMatchObject({ status: 200 });
      for (const path of [
        "/v3/api-docs/",
        "/V3/api-docs",
        "/v3/api-docs.yml",
        "/v3/api%2Ddocs",
        "/v3",
        "/v3/api-docs/x",
      ]) {
        expect((await ask({ path })).status, path).toBe(404);
      }
    }));
});

describe("a host that does not want the documents", () => {
  it.each(HTTP_MOUNTS)("does not serve them [$name]", async (mount) => {
    const listening = await listenOn(mount, rig.api, authentication.authenticator, { documents: [] });
    try {
      const origin = listening.url.slice(0, -BASE_PATH.length);
      const reply = await sendRaw(origin, { path: JSON_PATH, authorization: credentials("chief") });
      expect(reply.status).toBe(404);
    } finally {
      await listening.close();
    }
  });
});
