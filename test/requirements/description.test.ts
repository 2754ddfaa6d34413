import openapiTypes, { astToString } from "openapi-typescript";
import { describe, expect } from "vitest";
import { BASE_PATH } from "../../src/core/conventions.ts";
import { operationNames } from "../../src/core/operations/table.ts";
import type { OpenApiDocument } from "../../src/openapi/open-api.ts";
import { operationsOf } from "../openapi/committed.ts";
import { credentials } from "../support/access-files.ts";
import { type RawReply, type RawRequest, sendRaw } from "../support/raw-http.ts";
import { verifiesHttp } from "../support/verifies.ts";
import type { HttpWorld } from "../support/world.ts";
import { verifiesGateway } from "./support/gateway.ts";

const PATH = "/v3/api-docs";

/** Asks for the document, which is beside the base path. */
function ask(world: HttpWorld, request: Partial<RawRequest>): Promise<RawReply> {
  return sendRaw(world.url.slice(0, -BASE_PATH.length), { path: PATH, ...request });
}

describe("machine-readable description", () => {
  verifiesGateway("PAGE-SERVED", async ({ origin }) => {
    const page = { path: "/swagger-ui.html" };
    expect(await sendRaw(origin, page)).toMatchObject({ status: 401, body: "" });
    expect(await sendRaw(origin, { ...page, authorization: credentials("nobody") })).toMatchObject({ status: 401 });
    const { status, headers, body } = await sendRaw(origin, { ...page, authorization: credentials("viewer") });
    expect([status, headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
    const script = { path: "/swagger-ui/page.js", authorization: credentials("viewer") };
    expect(body).toContain(`src="${script.path.slice(1)}"`);
    expect((await sendRaw(origin, script)).body).toContain("../v3/api-docs");
  });

  verifiesHttp("DOCUMENT-GENERATES-CLIENTS", async (world) => {
    const { body } = await ask(world, { authorization: credentials("viewer") });
    const generated = astToString(await openapiTypes(body));
    const operations = generated.slice(generated.indexOf("export interface operations {"));
    for (const name of operationNames) expect(operations).toMatch(new RegExp(`^ {4}${name}: \\{$`, "m"));
  });

  verifiesHttp("DOCUMENT-SERVED", async (world) => {
    const denied = await ask(world, {});
    expect(denied).toMatchObject({ status: 401, body: "", headers: { "content-length": "0" } });
    expect(denied.headers["www-authenticate"]).toMatch(/^Basic realm=/);
    expect(await ask(world, { authorization: credentials("nobody") })).toMatchObject({ status: 401, body: "" });
    for (const user of ["chief", "viewer"]) {
      const found = await ask(world, { authorization: credentials(user) });
      expect(found).toMatchObject({ status: 200, headers: { "content-type": "application/json" } });
      expect(JSON.parse(found.body)).toMatchObject({ paths: { "/trading/halt": { post: { "x-lane": "stop" } } } });
    }
  });

  verifiesHttp("DOCUMENT-IS-OPENAPI-31", async (world) => {
    const { body } = await ask(world, { authorization: credentials("viewer") });
    const document: OpenApiDocument = JSON.parse(body);
    expect(document).toMatchObject({ openapi: "3.1.0", info: { version: "v1" } });
    const specified = operationsOf(document).filter(({ operation }) => !operation["x-extension"]);
    expect(specified.map(({ operation }) => operation.operationId)).toEqual(operationNames);
  });
});
