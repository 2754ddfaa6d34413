import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { committedReplies, type Exchange } from "../support/documented-replies.ts";
import { sendRaw } from "../support/raw-http.ts";
import { openServers, type Servers } from "./provoked.ts";

let servers: Servers;

beforeAll(async () => {
  servers = await openServers();
});

afterAll(() => servers.close());

/** A real reply. */
async function exchanged(path: string, method = "GET"): Promise<Exchange> {
  return { method, path: `/api/admin/v1${path}`, ...(await servers.world.http({ method, path })) };
}

/** Ways in which a reply may differ from the document, made from a real one. */
const SPOILED: readonly [what: string, path: string, (real: Exchange) => Partial<Exchange>, fault: string][] = [
  ["a status that is not documented", "/services", () => ({ status: 418 }), "the status 418 is not documented"],
  ["a success that is not documented", "/services", () => ({ status: 204 }), "the status 204 is not documented"],
  ["another body", "/services", () => ({ body: '{"services":[]}' }), "type"],
  ["a field that is missing", "/services/TWAP", ({ body }) => ({ body: body.replace('"dma"', '"DMA"') }), "required"],
  [
    "a value of another type",
    "/services/TWAP",
    ({ body }) => ({ body: body.replace("false", '"no"') }),
    "#/system: type",
  ],
  [
    "a value that is not listed",
    "/services/NASDAQ1",
    ({ body }) => ({ body: body.replace("Connected", "Up") }),
    "enum",
  ],
  ["a number for a decimal", "/risk/table", ({ body }) => ({ body: body.replace('"200"', "200") }), "type"],
  ["text for a decimal", "/risk/table", ({ body }) => ({ body: body.replace('"200"', '"2e2"') }), "pattern"],
  ["no JSON", "/services", () => ({ body: "<html>" }), "the body is not JSON"],
  ["no body", "/services", () => ({ body: "" }), "the body is not JSON"],
  [
    "another content type",
    "/services",
    ({ headers }) => ({ headers: { ...headers, "content-type": "text/html" } }),
    "the content is text/html",
  ],
  [
    "a header that is missing",
    "/services",
    ({ headers: { "x-request-id": _, ...headers } }) => ({ headers }),
    "the header x-request-id is missing",
  ],
  [
    "a header that is not documented",
    "/services",
    ({ headers }) => ({ headers: { ...headers, "x-secret": "1" } }),
    "the header x-secret is not documented",
  ],
  [
    "a header with another value",
    "/services",
    ({ headers }) => ({ headers: { ...headers, "x-request-id": "a b" } }),
    "header x-request-id",
  ],
  [
    "an outcome of a read",
    "/services",
    ({ headers }) => ({ headers: { ...headers, "x-admin-outcome": "applied" } }),
    "x-admin-outcome is not documented",
  ],
  [
    "an error without its message",
    "/services/TWAP2",
    () => ({ body: '{"status":404,"error":"Not Found"}' }),
    "required",
  ],
  ["success at no path of ours", "/nowhere", () => ({ status: 200 }), "200 answers a request for no operation"],
  ["an error page at no path of ours", "/nowhere", () => ({ body: "<html>" }), "the body is not JSON"],
];

describe("an independent OpenAPI validator checks every reply of the whole test run against the document", () => {
  it("and accepts what the server says", async () => {
    const paths = ["/services", "/services/TWAP", "/services/TWAP2", "/risk/table", "/nowhere", "/services?x=1"];
    for (const path of paths) expect(await committedReplies.faults(await exchanged(path)), path).toEqual([]);
    for (const method of ["HEAD", "OPTIONS", "DELETE"]) {
      expect(await committedReplies.faults(await exchanged("/services", method)), method).toEqual([]);
    }
  });

  it.each(SPOILED)("and finds %s", async (_what, path, spoil, fault) => {
    const real = await exchanged(path);
    expect((await committedReplies.faults({ ...real, ...spoil(real) })).join("\n")).toContain(fault);
  });

  it("and says nothing of what is beside the base path", async () => {
    const reply = { method: "GET", path: "/monitor/positions", status: 200, headers: {}, body: "<html>" };
    expect(await committedReplies.faults(reply)).toEqual([]);
  });

  it("wherever the suites read their replies", async () => {
    const { createServer } = await import("node:http");
    const other = createServer((_request, response) => void response.end("<html>"));
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const { port } = other.address() as { port: number };
    try {
      const origin = `http://127.0.0.1:${port}`;
      await expect(sendRaw(origin, { path: "/api/admin/v1/services" })).rejects.toThrow(/against docs\/openapi\.json/);
      expect(await sendRaw(origin, { path: "/api/admin/v1/services", foreign: true })).toMatchObject({ status: 200 });
    } finally {
      other.close();
      other.closeAllConnections();
    }
  });
});
