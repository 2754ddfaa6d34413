import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MUTATIONS } from "../requirements/support/endpoints.ts";
import { type RawReply, sendRaw } from "../support/raw-http.ts";
import { exchange } from "./connection.ts";
import { CHIEF, InstallationFolder, PASSWORD } from "./folder.ts";

let folder: InstallationFolder;

beforeEach(() => {
  folder = new InstallationFolder();
});

afterEach(() => folder.close());

function post(origin: string, path: string, body: string, id = "desk-1"): Promise<RawReply> {
  const headers = { "Content-Type": "application/json", "X-Request-Id": id };
  return sendRaw(`${origin}/api/admin/v1`, { method: "POST", path, body, headers, authorization: CHIEF });
}

describe("the monitor log (specification, convention 8; D-LOG 4)", () => {
  it("has a line of JSON before and after each mutation: who did what, for which request", async () => {
    const { url } = await folder.start("");
    for (const { name, path, body = {} } of MUTATIONS) {
      expect((await post(url, path, JSON.stringify(body), name)).status).toBe(200);
    }
    const lines = folder.log().filter(({ stage }) => stage !== undefined);
    expect(lines.map(({ requestId, user, operation, stage }) => [requestId, user, operation, stage])).toEqual(
      MUTATIONS.flatMap(({ name }) => [
        [name, "chief", name, "intent"],
        [name, "chief", name, "applied"],
      ]),
    );
    for (const line of lines) {
      expect(line).toMatchObject({ level: "info", authentication: "basic", address: "127.0.0.1" });
      expect(line.time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
      expect(line.msg).toBe(`${line.operation} by chief: ${line.stage}`);
    }
  });

  it("D-LOG 8: records attempts that are refused, and no reads", async () => {
    const { url } = await folder.start("");
    expect((await post(url, "/services/NOPE/disable", "{}")).status).toBe(404);
    expect((await post(url, "/trading/halt", '{"projectionPath":"Nowhere[x]"}')).status).toBe(400);
    expect((await post(url, "/positions", '{"projection":"Exchange/Symbol"}')).status).toBe(200);
    expect(folder.log().flatMap(({ stage }) => stage ?? [])).toEqual(["intent", "rejected", "invalid"]);
  });

  it("D-LOG 6: cannot be forged by what callers write", async () => {
    const { url } = await folder.start("");
    const reason = 'end of day\n{"stage":"applied","user":"root","operation":"resumeTrading"}\r\u2028\u202e';
    expect((await post(url, "/trading/halt", JSON.stringify({ reason }))).status).toBe(200);
    const [intent, applied, ...more] = folder.log().filter(({ stage }) => stage !== undefined);
    expect(more).toEqual([]);
    expect([intent?.user, applied?.user]).toEqual(["chief", "chief"]);
    expect(folder.logText()).not.toMatch(/[\r\u2028\u202e]/);
  });

  it("D-LOG 7: holds no credentials, whatever is sent", async () => {
    const { url } = await folder.start("");
    const encoded = (text: string): string => Buffer.from(text).toString("base64");
    const wrong = ["chief:wr0ng-Pa55", "nobody:wr0ng-Pa55", "wr0ng-Pa55"].map((text) => `Basic ${encoded(text)}`);
    const tokens = ["Bearer wr0ng-t0ken.a.b", "Basic wr0ng-t0ken", "wr0ng-t0ken"];
    for (const authorization of [CHIEF, ...wrong, ...tokens]) {
      for (const path of ["/trading/halt", "/nowhere", "/services/%zz"]) {
        await sendRaw(`${url}/api/admin/v1`, { method: "POST", path, authorization });
      }
      await exchange(
        url,
        `POST /api/admin/v1/trading/halt HTTP/1.1\r\nAuthorization: ${authorization}\r\n bad\r\n\r\n`,
      );
    }
    expect(folder.log().filter(({ stage }) => stage === "applied")).toHaveLength(1);
    const text = folder.logText();
    for (const secret of [PASSWORD, encoded(`chief:${PASSWORD}`), "wr0ng", ...wrong.map((value) => value.slice(6))]) {
      expect(text).not.toContain(secret);
    }
  });
});

describe("a log that cannot be written (D-LOG 3)", () => {
  const lanes = MUTATIONS.map((mutation) => ({ ...mutation, stops: /halt|disable|disconnect/i.test(mutation.name) }));

  it("refuses a change with 500 and does not send it; a stop is sent", async () => {
    const { url } = await folder.start("", "/dev/full");
    const message = "The change cannot be recorded in the audit log; nothing was sent";
    // Twice: the second failure to write must be seen as the first was.
    for (const { name, path, body = {}, stops } of [...lanes, ...lanes]) {
      const { status, body: answer } = await post(url, path, JSON.stringify(body));
      expect({ name, status }).toEqual({ name, status: stops ? 200 : 500 });
      if (!stops) expect(JSON.parse(answer)).toEqual({ status, error: "Internal Server Error", message });
    }
    const status = await sendRaw(`${url}/api/admin/v1`, { path: "/trading/status", authorization: CHIEF });
    expect(JSON.parse(status.body)).toMatchObject({ halted: true });
    const service = await sendRaw(`${url}/api/admin/v1`, { path: "/services/TWAP", authorization: CHIEF });
    expect(JSON.parse(service.body)).toMatchObject({ enabled: false });
  });
});
