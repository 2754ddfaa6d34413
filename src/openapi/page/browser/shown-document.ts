import type { PageDocument, PageOperation, PageParameter } from "./page-document.ts";

/** The document as the page shows it. */
export function shownDocument(document: PageDocument): PageDocument {
  const paths = Object.entries(document.paths).map(([path, methods]) => [
    path,
    Object.fromEntries(Object.entries(methods).map(([method, operation]) => [method, shownOperation(operation)])),
  ]);
  const description = withFoldedConventions(document.info.description);
  return { ...document, info: { ...document.info, description }, paths: Object.fromEntries(paths) };
}

/** After its first paragraph, the description has what holds for every operation; the operations themselves come first. */
function withFoldedConventions(description: string): string {
  const [about, ...conventions] = description.split("\n\n");
  const folded = ["<details><summary>Conventions of the API</summary>", ...conventions, "</details>"];
  return [about, ...(conventions.length > 0 ? folded : [])].join("\n\n");
}

function shownOperation(operation: PageOperation): PageOperation {
  const isRead = operation["x-lane"] === "read";
  const parameters = operation.parameters?.map(withoutEmptyDefault).map((it) => (isRead ? it : withoutTarget(it)));
  return { ...operation, ...(parameters && { parameters }) };
}

/** An example for what a command acts on would be filled in: a name has to be typed. */
function withoutTarget(parameter: PageParameter): PageParameter {
  return parameter.in === "path" ? { ...parameter, example: undefined } : parameter;
}

/** Of a default that is an empty text, there is nothing to see; the description says what it means. */
function withoutEmptyDefault(parameter: PageParameter): PageParameter {
  if (parameter.schema?.default !== "") return parameter;
  return { ...parameter, schema: { ...parameter.schema, default: undefined } };
}
