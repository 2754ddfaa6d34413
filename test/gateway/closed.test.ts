import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ENDPOINTS } from "../requirements/support/endpoints.ts";
import { type RawReply, sendRaw } from "../support/raw-http.ts";
import { CHIEF, InstallationFolder } from "./folder.ts";

let folder: InstallationFolder;

beforeEach(() => {
  folder = new InstallationFolder();
});

afterEach(() => folder.close());

/** Answers of every endpoint, with and without credentials, and of paths and methods that there are not. */
async function ask(origin: string, foreign?: true): Promise<RawReply[]> {
  const replies: RawReply[] = [];
  for (const authorization of [null, CHIEF, "Bearer a.b.c"]) {
    const others = ["/", "", "/nowhere"].map((path) => ({ method: "GET", path }));
    for (const { method, path } of [...ENDPOINTS, ...others, { method: "DELETE", path: "/services" }]) {
      const request = { method, path, authorization, ...(foreign && { foreign }) };
      replies.push(await sendRaw(`${origin}/api/admin/v1`, request));
    }
  }
  expect(replies).toHaveLength(3 * 22);
  return replies;
}

describe("an API that is switched off (specification, Enabling; D-HTTP 24)", () => {
  it("responds 404 to every path with admin.api.enabled: false, with credentials and without", async () => {
    const { url } = await folder.start("admin.api.enabled: false");
    for (const { status, body, headers } of await ask(url, true)) {
      expect(status).toBe(404);
      expect(JSON.parse(body)).toEqual({ status, error: "Not Found", message: "Nothing is served at this path" });
      expect(headers["www-authenticate"]).toBeUndefined();
    }
  });
});

describe("an API that is closed (specification, Authentication 3; D-HTTP 9)", () => {
  it.each([
    ["security.oauth2.authenticationType: NONE", "authenticationType is NONE"],
    ["security.oauth2.authenticationType: none", "authenticationType is NONE"],
    ["security.oauth2.authenticationType: PROVIDER", "no JWT validation is configured"],
    ["security.oauth2.provider.name: keycloak", 'provider.name is "keycloak"'],
    ["security: { oauth2: { authenticationType: SIMPLE, provider: { name: keycloak } } }", "no JWT validation"],
  ])(
    "responds 403 to every request because of %s; the body and one error line of the log say why",
    async (yaml, why) => {
      const { url, authentication } = await folder.start(yaml);
      const message = authentication.description;
      expect(message).toMatch(/^The API is closed: /);
      expect(message).toContain(why);
      for (const { status, body } of await ask(url)) {
        expect([status, body]).toEqual([403, JSON.stringify({ status: 403, error: "Forbidden", message })]);
      }
      expect(folder.log().filter(({ level }) => level !== "info")).toMatchObject([{ level: "error", msg: message }]);
    },
  );

  it("D-AUTH 6: starts without access files", async () => {
    folder.remove("uac-file-security.xml");
    const { url } = await folder.start("security.oauth2.authenticationType: NONE");
    expect(await sendRaw(url, { path: "/api/admin/v1/services" })).toMatchObject({ status: 403 });
  });
});
