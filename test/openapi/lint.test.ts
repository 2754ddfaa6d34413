import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { validate } from "@hyperjump/json-schema/openapi-3-1";
import { lintFromString, loadConfig } from "@redocly/openapi-core";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { OpenApiDocument } from "../../src/openapi/open-api.ts";
import { committedDocument, FILE, generatedDocument } from "./committed.ts";

const RULES = fileURLToPath(new URL("../../redocly.yaml", import.meta.url));
const SOURCE = fileURLToPath(new URL(`../../${FILE}`, import.meta.url));

/** What Redocly finds in a document by the rules of this project: rule and place. */
async function problemsOf(document: OpenApiDocument): Promise<string[]> {
  const config = await loadConfig({ configPath: RULES });
  const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: SOURCE, config });
  return problems.map(({ ruleId, severity, location }) => `${severity} ${ruleId} ${location[0]?.pointer}`);
}

/** The document as a draft that a test may spoil. */
function spoiled(change: (draft: Draft) => void): OpenApiDocument {
  const draft = structuredClone(generatedDocument()) as unknown as Draft;
  change(draft);
  return draft as unknown as OpenApiDocument;
}

type Draft = {
  paths: Record<string, Record<string, Record<string, unknown>>>;
  components: {
    schemas: Record<string, { properties: Record<string, unknown> }>;
    responses: Record<string, { headers: Record<string, unknown>; content: Record<string, { examples: unknown }> }>;
  };
};

describe("the document passes Redocly's lint and a written ruleset with zero unexplained waivers", () => {
  it("and has not even a warning", async () => {
    expect(await problemsOf(committedDocument())).toEqual([]);
  });

  it("of which the ruleset is Redocly's strict one and more, switches nothing off, and ignores nothing", () => {
    const ruleset = parse(readFileSync(RULES, "utf8")) as { extends: string[]; rules: Record<string, unknown> };
    expect(ruleset.extends).toEqual(["recommended-strict"]);
    for (const [rule, setting] of Object.entries(ruleset.rules)) {
      const severity = typeof setting === "string" ? setting : (setting as { severity?: string }).severity;
      expect(severity ?? "error", rule).toBe("error");
    }
    expect(existsSync(fileURLToPath(new URL("../../.redocly.lint-ignore.yaml", import.meta.url)))).toBe(false);
  });

  const SPOILED: readonly [rule: string, (draft: Draft) => void][] = [
    ["rule/operation-is-classified", ({ paths }) => delete paths["/trading/halt"]?.post?.["x-lane"]],
    ["rule/lane-is-known", ({ paths }) => Object.assign(paths["/trading/halt"]?.post ?? {}, { "x-lane": "slow" })],
    ["rule/retry-class-is-known", ({ paths }) => Object.assign(paths["/services"]?.get ?? {}, { "x-retry": "yes" })],
    [
      "rule/schema-keywords",
      ({ components }) => Object.assign(components.schemas.Service?.properties ?? {}, { dma: { const: true } }),
    ],
    ["response-contains-header", ({ components }) => delete components.responses.Overloaded?.headers["Retry-After"]],
    [
      "no-invalid-media-type-examples",
      ({ components }) =>
        Object.assign(components.responses.Timeout?.content["application/json"] ?? {}, {
          examples: { wrong: { value: { status: "504" } } },
        }),
    ],
    [
      "operation-operationId-unique",
      ({ paths }) => Object.assign(paths["/services"]?.get ?? {}, { operationId: "haltTrading" }),
    ],
    ["no-unused-components", ({ components }) => Object.assign(components.schemas, { Unused: { type: "string" } })],
    [
      "no-unresolved-refs",
      ({ components }) =>
        Object.assign(components.schemas.Service?.properties ?? {}, { dma: { $ref: "#/components/schemas/Nowhere" } }),
    ],
  ];

  it.each(SPOILED)("and the ruleset can fail: %s", async (rule, change) => {
    const problems = await problemsOf(spoiled(change));
    expect(
      problems.some((problem) => problem.startsWith(`error ${rule} `)),
      problems.join("\n"),
    ).toBe(true);
  });
});

describe("the document is OpenAPI 3.1 by the schema of the OpenAPI Initiative", () => {
  const SCHEMA = "https://spec.openapis.org/oas/3.1/schema-base";

  it("as committed", async () => {
    expect(await validate(SCHEMA, committedDocument() as never, "BASIC")).toMatchObject({ valid: true });
  });

  it("unlike a spoiled one", async () => {
    const bad = spoiled(({ paths }) => Object.assign(paths["/services"]?.get ?? {}, { responses: [] }));
    expect(await validate(SCHEMA, bad as never)).toMatchObject({ valid: false });
  });
});
