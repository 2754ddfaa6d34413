import { nameKey } from "../auth/names.ts";
import type { Policy, PolicyRequest } from "../core/policy/policy.ts";
import {
  type PathSegment,
  type ProjectionKeys,
  parseProjectionPath,
  projectionKeys,
} from "../core/values/projection.ts";

/** Projection paths by user. */
export type PathsOfUsers = Readonly<Record<string, readonly string[]>>;

/**
 * Restricts users to subtrees of the position/risk tree: they may act on the given paths and below. A command with another path, or
 * without one where it could have one, is refused, including stops. Other users are unrestricted, and so are commands without
 * paths, such as those for services. `additionalKeys` are the projection keys of the installation.
 *
 * @example
 * onlyPaths({ goldDesk: ["Account[GOLD]"] });
 *
 * @throws ProjectionSyntaxError for an invalid path.
 */
export function onlyPaths(paths: PathsOfUsers, additionalKeys: Iterable<string> = []): Policy {
  const keys = projectionKeys(additionalKeys);
  const byUser = new Map(
    Object.entries(paths).map(([user, texts]) => {
      const parsed = texts.map((path) => parseProjectionPath(path, keys));
      return [nameKey(user), { texts, parsed }] as const;
    }),
  );
  return (request) => {
    const { name } = request.principal;
    const own = byUser.get(nameKey(name));
    if (!own || nodesOf(request, keys).every((node) => own.parsed.some((path) => node.isWithin(path))))
      return undefined;
    return `${request.operation} is refused: user ${JSON.stringify(name)} may act only on ${own.texts.join(", ") || "no path"} and below`;
  };
}

/** The target of a command. */
interface Node {
  isWithin(path: readonly PathSegment[]): boolean;
}

function nodesOf(request: PolicyRequest, keys: ProjectionKeys): Node[] {
  if (request.operation === "updateRiskTable")
    return request.input.commands.map(({ conditions }) => rowNode(conditions));
  return "projectionPath" in request.input ? [pathNode(parseProjectionPath(request.input.projectionPath, keys))] : [];
}

function pathNode(segments: readonly PathSegment[]): Node {
  return {
    isWithin: (path) =>
      path.every(({ key, value }, index) => segments[index]?.key === key && segments[index].value === value),
  };
}

/** A row of a risk table applies to orders that match all its conditions; the order of their keys is irrelevant. */
function rowNode(conditions: Readonly<Record<string, string>>): Node {
  return { isWithin: (path) => path.every(({ key, value }) => conditions[key] === value) };
}
