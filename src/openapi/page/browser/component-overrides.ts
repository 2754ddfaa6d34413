import type { PageUser } from "../../../http/documents.ts";
import { folded, withErrorTable } from "./error-table.ts";
import type { Component, ImmutableMap, Wrap } from "./swagger-ui.ts";

/** The commands that send a request from a shell. */
type CommandsOf = (request: ImmutableMap) => readonly string[];

const nothing: Component = () => null;

/** Replaces or extends components of Swagger UI. */
export function wrapComponents(user: PageUser | undefined, commandsOf: CommandsOf): Readonly<Record<string, Wrap>> {
  return {
    OperationSummaryPath: withBadges(user),
    // The browser, or `trading-admin docs`, adds the credentials; the page never has them.
    authorizeBtn: () => nothing,
    authorizeOperationBtn: () => nothing,
    // The path is within a button already, which opens the operation and puts its address into the location.
    DeepLink: withoutLink,
    InfoContainer: asRegion("About this API"),
    Models: asRegion("Schemas"),
    operations: belowHeading("Operations"),
    curl: inFold(commandsOf),
    responses: withErrorTable,
    headers: withFoldedHeaders,
    parameterRow: withFoldedHeader,
  };
}

const withoutLink: Wrap =
  (original, { React }) =>
  (properties) =>
    React.createElement(original, { ...properties, enabled: false });

/** A landmark for what is outside of the main one. */
function asRegion(label: string): Wrap {
  return (original, { React }) =>
    (properties) =>
      React.createElement("div", { role: "region", "aria-label": label }, React.createElement(original, properties));
}

/** Swagger UI has headings of the first and third level only. */
function belowHeading(text: string): Wrap {
  return (original, { React }) =>
    (properties) =>
      React.createElement(
        "div",
        {},
        React.createElement("h2", { className: "unseen" }, text),
        React.createElement(original, properties),
      );
}

/** Headers of a response, of which each response has the same. */
const withFoldedHeaders: Wrap = (original, system) => (properties) => {
  const isPresent = (properties.headers as ImmutableMap | undefined)?.size;
  return isPresent ? folded(system, "Headers", system.React.createElement(original, properties)) : null;
};

/** A header of a request, which most requests do without. */
const withFoldedHeader: Wrap = (original, system) => (properties) => {
  const { React } = system;
  const parameter = properties.rawParam as ImmutableMap;
  if (parameter.get("in") !== "header") return React.createElement(original, properties);
  const row = React.createElement("tbody", {}, React.createElement(original, properties));
  const content = folded(system, `Header ${String(parameter.get("name"))}`, React.createElement("table", {}, row));
  const cell = React.createElement("td", { colSpan: 2 }, content);
  return React.createElement("tr", { className: "folded-header" }, cell);
};

/** The request that was sent, as commands to copy. */
function inFold(commandsOf: CommandsOf): Wrap {
  return (_, system) => (properties) => {
    const { React, getComponent } = system;
    const code = getComponent("HighlightCode", true);
    const commands = commandsOf(properties.request as ImmutableMap).map((command) =>
      React.createElement(code, { canCopy: true, className: "curl", key: command }, command),
    );
    return folded(system, "The request as a command", commands);
  };
}

/** What the lane of an operation means, at the pointer. */
const LANES: Readonly<Record<string, string>> = {
  stop: "Keeps working under load, and is never refused because it cannot be recorded",
  change: "Refused when it cannot be recorded",
  read: "Changes nothing",
};

/** Shows permission and lane of an operation behind its path, and whether the user may call it. */
function withBadges(user: PageUser | undefined): Wrap {
  return (original, { React, specSelectors }) =>
    (properties) => {
      const { path, method } = (properties.operationProps as ImmutableMap).toJS() as Record<"path" | "method", string>;
      const operation = specSelectors.specJson().getIn(["paths", path, method]) as ImmutableMap;
      const lane = String(operation.get("x-lane"));
      const permission = operation.get("x-permission");
      const isDenied = String(operation.get("operationId")) in (user?.denied ?? {});
      const badge = (kind: string, text: string, title?: string): unknown =>
        React.createElement("span", { className: `badge ${kind}`, key: kind, title }, text);
      return React.createElement(
        "span",
        { className: `path-and-badges of-${lane}` },
        React.createElement(original, properties),
        badge(`lane ${lane}`, `${lane} lane`, LANES[lane]),
        badge("permission", permission === null ? "any user" : `needs ${permission}`),
        ...(isDenied ? [badge("denied", "denied to you")] : []),
      );
    };
}
