import { describe, expect, it, onTestFinished } from "vitest";
import { BASE_PATH } from "../../src/core/conventions.ts";
import { PERMISSIONS, principal } from "../../src/core/principal.ts";
import { httpHandler } from "../../src/http/handler.ts";
import { startTestRig } from "../../src/testing/rig.ts";
import { expectError, post, rule } from "./rule.ts";

const MESSAGE = "A page of another site may not send commands with a user's credentials";

/** What a browser says of a request, for each case whether a command is taken. */
const CASES: readonly [headers: Readonly<Record<string, string>>, taken: boolean][] = [
  [{}, true],
  [{ "Sec-Fetch-Site": "same-origin", Origin: "http://elsewhere" }, true],
  [{ "Sec-Fetch-Site": "none" }, true],
  [{ "Sec-Fetch-Site": "same-site" }, false],
  [{ "Sec-Fetch-Site": "cross-site" }, false],
  [{ Host: "monitor:8988", Origin: "http://monitor:8988" }, true],
  [{ Host: "monitor:8988", Origin: "https://monitor:8988" }, true],
  [{ Host: "monitor:8988", Origin: "http://monitor" }, false],
  [{ Host: "monitor:8988", Origin: "http://evil" }, false],
  [{ Host: "monitor:8988", Origin: "null" }, false],
];

describe("D-HTTP 27: commands of a browser for a page of another site are refused", () => {
  rule("a halt without a body, which needs no preflight", async ({ http, gate, audit }) => {
    for (const [headers, taken] of CASES) {
      const before = gate.seen.length;
      const reply = await http({ method: "POST", path: "/trading/halt", headers });
      if (taken) expect(reply.status, JSON.stringify(headers)).toBe(200);
      else expectError(reply, 403, "Forbidden", MESSAGE);
      expect(gate.seen.length - before).toBe(taken ? 1 : 0);
      expect(audit.records.at(-1)).toMatchObject({ user: "chief", stage: taken ? "applied" : "denied" });
    }
  });

  it("with whatever else browsers add by themselves, as a host may take them; a token only a page adds", async () => {
    const rig = await startTestRig();
    onTestFinished(() => rig.close());
    const ann = { kind: "principal", principal: principal("ann", PERMISSIONS) } as const;
    const handle = httpHandler(rig.api, { authenticator: { authenticate: () => ann } });
    const statusOf = async (authorization: string | undefined, site: string): Promise<number | undefined> => {
      const headers: Record<string, string | undefined> = { authorization, "sec-fetch-site": site };
      const request = { method: "POST", target: `${BASE_PATH}/trading/halt`, address: undefined, isBodyDeclared: true };
      const readBody = (): Promise<never> => Promise.reject(new Error("there is no body"));
      return (await handle({ ...request, header: (name) => headers[name], readBody }))?.status;
    };
    for (const authorization of ["Negotiate YIIZ", "Digest username=ann", "Basic YTpi", undefined]) {
      expect([authorization, await statusOf(authorization, "cross-site")]).toEqual([authorization, 403]);
      expect([authorization, await statusOf(authorization, "same-origin")]).toEqual([authorization, 200]);
    }
    expect(await statusOf("Bearer x", "cross-site")).toBe(200);
  });

  rule("reads are answered: the browser shows them to nobody", async ({ http }) => {
    const headers = { "Sec-Fetch-Site": "cross-site" };
    expect((await http({ path: "/services", headers })).status).toBe(200);
    expect(
      (
        await http(
          post("/positions", '{"projection":"Account/Symbol"}', { "Content-Type": "application/json", ...headers }),
        )
      ).status,
    ).toBe(200);
  });
});
