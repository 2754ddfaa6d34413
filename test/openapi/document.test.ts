import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { ADMIN_ERRORS } from "../../src/core/errors.ts";
import { extensions } from "../../src/core/operations/extensions.ts";
import { buildOperations, callRecords, operations } from "../../src/core/operations/table.ts";
import { projectionKeys } from "../../src/core/values/projection.ts";
import { openApiDocument, openApiDocuments } from "../../src/openapi/document.ts";
import { ERROR_RESPONSES } from "../../src/openapi/error-responses.ts";
import { UPDATES, writeJson } from "../docs/bus-files.ts";
import { committedDocument, FILE, generatedDocument, objectsIn, operationsOf } from "./committed.ts";
import { breakingChanges } from "./compatibility.ts";

/** All that the document describes. */
const RECORDS = [...callRecords({ operations, extensions })];

let document: ReturnType<typeof generatedDocument>;

beforeEach(() => {
  document = generatedDocument();
});

describe("D-PKG 7: docs/openapi.json is committed and compared", () => {
  let broken: readonly string[] = [];

  beforeAll(() => {
    const generated = generatedDocument();
    broken = breakingChanges(committedDocument(), generated);
    if (UPDATES && broken.length === 0) writeJson(new Map([[FILE, generated]]));
  });

  it("breaks nothing for those who use it (to break it on purpose, take the operations out of the file first)", () => {
    expect(broken).toEqual([]);
  });

  it("says what the operation table says (UPDATE_DOCS=1 rewrites it)", () => {
    expect(committedDocument()).toEqual(document);
  });
});

describe("D-PKG 7: the document is generated from the operation table", () => {
  it("has every operation at its path and method, under its own name, and no other", () => {
    const found = operationsOf(document).map(({ path, method, operation }) => [operation.operationId, method, path]);
    const expected = RECORDS.map(([name, { method, path }]) => [name, method.toLowerCase(), path]);
    expect(found).toEqual(expected);
  });

  it("D-DOC 1: says permission, lane and retry class of each", () => {
    const found = operationsOf(document).map(({ operation }) => [
      operation["x-permission"],
      operation["x-lane"],
      operation["x-retry"],
    ]);
    const expected = RECORDS.map(([, { permission, lane }]) => [permission, lane, lane === "read" ? "safe" : "never"]);
    expect(found).toEqual(expected);
  });

  it("holds every error of the error table but the one that no operation can give", () => {
    const codes = Object.values(ERROR_RESPONSES).flatMap((response) => response.codes);
    expect(Object.keys(ADMIN_ERRORS).filter((code) => !codes.some((held) => held === code))).toEqual([
      "METHOD_NOT_ALLOWED",
    ]);
    for (const { codes } of Object.values(ERROR_RESPONSES)) {
      expect(new Set(codes.map((code) => ADMIN_ERRORS[code].status)).size, codes.join()).toBe(1);
    }
  });

  it("gives an operation a body, or an optional one, exactly where the specification says so", () => {
    const bodies = operationsOf(document).flatMap(({ operation }) =>
      operation.requestBody ? [[operation.operationId, operation.requestBody.required]] : [],
    );
    expect(Object.fromEntries(bodies)).toEqual({
      haltTrading: false,
      resumeTrading: false,
      updateRiskTable: true,
      listPositions: true,
      adjustPosition: true,
      disableService: false,
      enableService: false,
    });
  });

  it("has no content for an empty 200, a 304 and a 401, and JSON for every other response", () => {
    const { responses } = document.components;
    expect(Object.keys(responses).filter((name) => !responses[name]?.content)).toEqual(["NotModified", "Unauthorized"]);
    const empty = operationsOf(document).filter(({ operation }) => !("content" in (operation.responses[200] ?? {})));
    expect(empty.map(({ operation }) => operation.operationId)).toEqual([
      "haltTrading",
      "resumeTrading",
      "adjustPosition",
      "disableService",
      "enableService",
    ]);
  });
});

it("D-UAC 23: X-Admin-Approves is documented on the successes of changes, and of nothing else", () => {
  const responses = operationsOf(document).flatMap(({ operation }) =>
    Object.entries(operation.responses).map(([status, response]) => ({ operation, status, response })),
  );
  const found = responses.filter(({ response }) => JSON.stringify(response).includes('"X-Admin-Approves"'));
  const changes = responses.filter(({ operation, status }) => operation["x-lane"] === "change" && status === "200");
  expect(found.length).toBeGreaterThan(0);
  expect(found).toEqual(changes);
});

describe("D-HTTP 40: the document as YAML is written for its first reader", () => {
  const whole = openApiDocument({ operations, unknownFields: "reject" }, { security: "basic" });

  const makeYaml = (): Promise<string> => {
    const content = openApiDocuments({ operations, unknownFields: "reject" }, { security: "basic" })[1]?.content;
    if (typeof content !== "object" || !("make" in content)) throw new Error("The YAML is not made when it is read");
    return content.make();
  };

  it("in pieces that together are what the library writes of the whole", async () => {
    const text = await makeYaml();
    expect(parse(text)).toEqual(JSON.parse(JSON.stringify(whole)));
    expect(text).toBe(stringify(whole, { aliasDuplicateObjects: false, lineWidth: 0 }));
  });

  it("and others have turns of the event loop in between", async () => {
    let turns = 0;
    let isMade = false;
    const count = (): void => {
      turns += 1;
      if (!isMade) setImmediate(count);
    };
    count();
    await makeYaml();
    isMade = true;
    expect(turns).toBeGreaterThan(5);
  });
});

describe("the document is that of the installation", () => {
  it("D-VAL 2: with further projection keys as filters and fields of positions", () => {
    const table = buildOperations(projectionKeys(["Desk"]));
    const { schemas } = openApiDocument(
      { operations: table, unknownFields: "reject" },
      { security: "basic" },
    ).components;
    expect(schemas.ListPositionsRequest?.properties).toHaveProperty("desk");
    expect(schemas.Position?.properties).toHaveProperty("desk");
    expect(schemas.ListPositionsRequest?.properties?.projection).toMatchObject({
      description: expect.stringMatching(/PortfolioKey, Desk\.$/),
    });
  });

  it("with the security scheme of the configured mechanism, and no other", () => {
    const bearer = openApiDocument({ operations, unknownFields: "reject" }, { security: "bearer" });
    expect(bearer.security).toEqual([{ bearer: [] }]);
    expect(Object.entries(bearer.components.securitySchemes)).toEqual([
      ["bearer", expect.objectContaining({ type: "http", scheme: "bearer", bearerFormat: "JWT" })],
    ]);
    expect(document.security).toEqual([{ basic: [] }]);
    expect(document.components.securitySchemes).toHaveProperty("basic.scheme", "basic");
  });

  it("D-HTTP 6: with closed requests, or open ones where the installation ignores unknown fields; responses are always open", () => {
    const closed = (unknownFields: "reject" | "ignore"): string[] =>
      [...objectsIn(openApiDocument({ operations, unknownFields }, { security: "basic" }).components.schemas)]
        .filter(([, schema]) => schema.additionalProperties === false)
        .map(([pointer]) => pointer.slice(1));
    expect(closed("ignore")).toEqual([]);
    const requests = Object.keys(document.components.schemas).filter((name) => name.endsWith("Request"));
    expect(closed("reject")).toEqual([...requests, "RiskCommand"].toSorted());
  });

  it("with the base path as its server, or what the host says", () => {
    expect(document.servers).toMatchObject([{ url: "/api/admin/v1" }]);
    const options = { security: "basic", serverUrl: "https://gateway.test/monitor/api/admin/v1" } as const;
    const mounted = openApiDocument({ operations, unknownFields: "reject" }, options);
    expect(mounted.servers).toMatchObject([{ url: options.serverUrl }]);
  });
});
