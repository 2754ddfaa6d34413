import { committedDocument, operationsOf } from "../openapi/committed.ts";
import { table } from "./markdown-table.ts";
import { requestExamples } from "./operation-requests.ts";
import { fieldRows, isObject, type Schema, schemas } from "./schema-tables.ts";

const INTRODUCTION = `# Operations

<!-- Generated from docs/openapi.json by "npm run docs"; do not edit. -->

All 18 operations of the specification and, at the end, three beyond it, each with a request in curl, on the command line and in TypeScript.
The examples are for the [sample installation](../../examples/demo/installation.yaml); the tests send them to it.

- Paths are below \`/api/admin/v1\`. Bodies are JSON in UTF-8. Every request carries [credentials](../understand/security.md).
- An empty 200 means that the engine accepted the command. Read the state to see it applied.
- [Errors](errors.md) lists every code and what it says about a command.
- Unknown fields are rejected and named. An optional field that is \`null\` counts as absent.
- Decimals are strings. A \`/\` in a name within a path is sent as \`%2F\`.

The examples need three lines first:

\`\`\`
api=http://127.0.0.1:8988/api/admin/v1
auth="operator:$(cat .demo/operator.password)"
export TRADING_ADMIN_USER=operator TRADING_ADMIN_PASSWORD_FILE=.demo/operator.password
\`\`\`

In TypeScript, \`client\` is the [client](client.md).
`;

const LANES: Readonly<Record<string, string>> = {
  stop: "stop: has reserved capacity, and is never refused because it cannot be recorded",
  change: "change: refused when it cannot be recorded",
  read: "read: may be repeated",
};

const BEYOND = "Beyond the specification: with `admin.api.extensions: false` the path is unknown.";

/** The table of all operations. */
function operationTable(): string {
  const rows = operationsOf(committedDocument()).map(({ path, method, operation }) => [
    `[\`${operation.operationId}\`](#${operation.operationId.toLowerCase()})`,
    `\`${method.toUpperCase()} ${path}\``,
    operation["x-permission"] ?? "any user",
    operation.summary ?? "",
  ]);
  return table(["Operation", "Request", "Permission", "What it does"], rows);
}

/** The text of `docs/reference/operations.md`. */
export function operationsReference(): string {
  const chapters = operationsOf(committedDocument()).map(chapter);
  const data = Object.entries(schemas())
    .filter(([name, schema]) => isObject(schema) && !name.endsWith("Request"))
    .map(([name, schema]) => `### ${name}\n\n${description(schema)}${fieldTable(schema)}\n`);
  return [INTRODUCTION, operationTable(), "", ...chapters, "## Data", "", ...data].join("\n");
}

function chapter(found: ReturnType<typeof operationsOf>[number]): string {
  const { path, method, operation } = found;
  const facts = table(
    ["Request", "Permission", "Lane", "Returns"],
    [
      [
        `\`${method.toUpperCase()} ${path}\``,
        operation["x-permission"] ?? "any authenticated user",
        LANES[operation["x-lane"]] ?? "",
        returned(found),
      ],
    ],
  );
  const examples = requestExamples(found).map(({ summary, curl, cli, typescript, response }) =>
    [`${summary}:\n`, block("", curl), block("", cli), block("ts", typescript), responseBlock(response)].join("\n"),
  );
  const beyond = operation["x-extension"] ? `${BEYOND} ` : "";
  const heading = `## ${operation.operationId}\n\n${operation.summary}. ${beyond}${notes(operation.description ?? "")}\n`;
  return [heading, `${facts}\n`, inputTable(found), ...examples].filter((part) => part !== "").join("\n");
}

/** The notes of an operation without what its table of facts says already. */
function notes(text: string): string {
  return text.replace(/ ?(?:Needs the permission|Stopping is never refused|Refused with 500|Changes nothing;).*$/s, "");
}

function inputTable({ operation }: ReturnType<typeof operationsOf>[number]): string {
  const named = (operation.parameters ?? []).filter((parameter) => "name" in parameter);
  const parameters = named.map((parameter) => ({
    ...(parameter as { name: string; in: string; required?: boolean; description?: string; schema: Schema }),
  }));
  const rows = [
    ...parameters.flatMap(({ name, in: place, required, description, schema }) =>
      fieldRows({ properties: { [name]: { description, ...schema } }, required: required ? [name] : [] }, place),
    ),
    ...fieldRows(bodySchema(operation), "body"),
  ];
  return rows.length === 0 ? "" : `${table(["Field", "In", "Type", "Default", "Meaning"], rows)}\n`;
}

function bodySchema(operation: object): Schema {
  const body = (operation as { requestBody?: { content: Record<string, { schema: Schema }> } }).requestBody;
  const schema = body?.content["application/json"]?.schema;
  return schema?.$ref ? (schemas()[schema.$ref.split("/").at(-1) ?? ""] ?? {}) : (schema ?? {});
}

function returned({ operation }: ReturnType<typeof operationsOf>[number]): string {
  const responses = operation.responses as unknown as Record<string, { content?: Record<string, { schema: Schema }> }>;
  const schema = responses["200"]?.content?.["application/json"]?.schema;
  if (!schema) return "nothing";
  const { name, list } = schema.items?.$ref
    ? { name: schema.items.$ref.split("/").at(-1) ?? "", list: "list of " }
    : { name: schema.$ref?.split("/").at(-1) ?? "", list: "" };
  return `${list}[${name}](#${name.toLowerCase()})`;
}

function responseBlock(response: unknown): string {
  return response === undefined ? "" : block("json", JSON.stringify(response, null, 2));
}

function block(language: string, code: string): string {
  return `\`\`\`${language}\n${code}\n\`\`\`\n`;
}

function description(schema: Schema): string {
  return schema.description ? `${schema.description}\n\n` : "";
}

function fieldTable(schema: Schema): string {
  const rows = fieldRows(schema, "").map(([name, , type, , meaning]) => [name ?? "", type ?? "", meaning ?? ""]);
  return table(["Field", "Type", "Meaning"], rows);
}
