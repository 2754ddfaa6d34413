import type { Component, ImmutableMap, System, Wrap } from "./swagger-ui.ts";

/** An error response of the document; one without content has a description alone. */
interface ErrorResponse {
  readonly description: string;
  readonly content?: Readonly<Record<string, { readonly examples: Readonly<Record<string, ErrorExample>> }>>;
}

interface ErrorExample {
  readonly summary: string;
  readonly description: string;
  /** Its message tells it apart from others of its status: a body has no code. */
  readonly value: { readonly message: string };
}

/** Shows successes as Swagger UI does, and all errors of an operation as one table, which says when each comes. */
export const withErrorTable: Wrap = (original, system) => (properties) => {
  const { React } = system;
  const responses = properties.responses as ImmutableMap;
  const isError = (_: unknown, status: string): boolean => Number(status) >= 400;
  const errors = Object.entries(responses.filter(isError).toJS() as Readonly<Record<string, ErrorResponse>>);
  const successes = responses.filter((response, status) => !isError(response, status));
  const title = `Errors: ${errors.map(([status]) => status).join(", ")}`;
  return React.createElement(
    "div",
    {},
    React.createElement(original, { ...properties, responses: successes }),
    React.createElement("div", { className: "error-responses" }, folded(system, title, errorTable(system, errors))),
  );
};

function errorTable(system: System, errors: readonly [status: string, response: ErrorResponse][]): unknown {
  const { React } = system;
  const titles = ["Status", "Message, for example", "When", "What to do"].map((title) =>
    React.createElement("th", { scope: "col", key: title }, title),
  );
  const rows = errors.flatMap(([status, response]) => errorRows(system, status, response));
  const [example] = errors.flatMap(([, response]) => Object.values(examplesOf(response)));
  return React.createElement(
    "div",
    {},
    React.createElement(
      "table",
      {},
      React.createElement("thead", {}, React.createElement("tr", {}, ...titles)),
      React.createElement("tbody", {}, ...rows),
    ),
    React.createElement("h5", {}, "Body, for example"),
    React.createElement(part(system, "HighlightCode"), {}, JSON.stringify(example?.value, null, 2)),
  );
}

function errorRows({ React, ...system }: System, status: string, response: ErrorResponse): unknown[] {
  const text = (source: string): unknown => React.createElement(part({ React, ...system }, "Markdown"), { source });
  const cell = (content: unknown, properties = {}): unknown => React.createElement("td", properties, content);
  const row = (...cells: unknown[]): unknown =>
    React.createElement("tr", {}, React.createElement("th", { scope: "row" }, status), ...cells);
  const examples = Object.values(examplesOf(response));
  if (examples.length === 0) return [row(cell(""), cell(text(response.description), { colSpan: 2 }))];
  return examples.map(({ summary, description, value }) =>
    row(cell(value.message), cell(text(summary)), cell(text(description))),
  );
}

function examplesOf({ content = {} }: ErrorResponse): Readonly<Record<string, ErrorExample>> {
  return Object.assign({}, ...Object.values(content).map(({ examples }) => examples));
}

function part({ getComponent }: System, name: string): Component {
  return getComponent(name, true);
}

/** What most readers do without, below a line that opens it. */
export function folded({ React }: System, title: string, content: unknown): unknown {
  return React.createElement("details", {}, React.createElement("summary", {}, title), content);
}
