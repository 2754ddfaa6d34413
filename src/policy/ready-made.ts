import { nameKey } from "../auth/names.ts";
import { listLike, type Needed, requireArgument, restrictionLike } from "../core/options.ts";
import { POLICY, type Policy, type PolicyRequest, policyMakers } from "../core/policy/policy.ts";
import { isRestrictable } from "../core/principal.ts";
import { isObject } from "../core/values/basics.ts";
import { didYouMean } from "../core/values/near-names.ts";
import {
  ANY_PROJECTION_KEY,
  type PathSegment,
  type ProjectionKeys,
  ProjectionSyntaxError,
  parseProjectionPath,
  projectionKeys,
} from "../core/values/projection.ts";

const POLICIES = "stopOnly(), freeze({ windows })";
const ONE_POLICY: Needed = { ...POLICY, like: POLICIES };

/**
 * Asks several policies in turn; the first refusal counts and the rest are not asked. Put stateful policies, such as
 * {@link twoPerson}, last.
 *
 * @throws TypeError without any.
 *
 * @example
 * new AdminApi({ transport, audit, authorize: allOf(stopOnly(["night-monitor"]), twoPerson({ operations: ["resumeTrading"] })) });
 */
export function allOf(...policies: readonly Policy[]): Policy {
  requireArgument("allOf", "policies", policies, restrictionLike(POLICIES));
  for (const policy of policies) requireArgument("allOf", "policies", policy, ONE_POLICY);
  return async (request) => {
    for (const policy of policies) {
      const reason = await policy(request);
      if (reason !== undefined) return reason;
    }
    return undefined;
  };
}

/** Refuses every command, including stops: for an installation that only observes while another is in control. */
export function readOnly(): Policy {
  return ({ operation }) => `${operation} is refused: this installation is read-only, stops included`;
}

/**
 * Allows stops only: for all users, or for those named, such as a monitor that may halt but never resume. Names are compared
 * without case, as those of logins.
 *
 * @throws TypeError for an empty list, and for an empty name or `*`, which nobody has.
 */
export function stopOnly(users?: Iterable<string>): Policy {
  const named = users === undefined ? undefined : keysOf(users);
  return ({ lane, operation, principal: { name } }) => {
    if (lane === "stop" || (named && !named.has(nameKey(name)))) return undefined;
    const rule = named ? `user ${JSON.stringify(name)} may only stop` : "only stops pass";
    return `${operation} is refused: ${rule} (halt, disable, disconnect)`;
  };
}

const USERS = '["night-monitor"]';
const USER: Needed = { like: '"night-monitor"', fits: isRestrictable };

/** The keys of the names in a list, which may be one that can be read only once. */
function keysOf(users: Iterable<string>): ReadonlySet<string> {
  requireArgument("stopOnly", "users", users, listLike(USERS));
  const names = [...users];
  requireArgument("stopOnly", "users", names, restrictionLike(USERS));
  for (const name of names) requireArgument("stopOnly", "user", name, USER);
  return new Set(names.map(nameKey));
}

export type PathsOfUsers = Readonly<Record<string, readonly string[]>>;

const PATHS: Needed = {
  like: '{ goldDesk: ["Account[GOLD]"] } (without a user it restricts nobody)',
  fits: isPathsOfUsers,
};

/**
 * Restricts users to subtrees of the position/risk tree: they may act on the given paths and below. A command with another path, or
 * without one where it could have one, is refused, including stops. Other users are unrestricted, and so are commands without
 * paths, such as those for services. `additionalKeys` are the projection keys of the installation.
 *
 * @example
 * onlyPaths({ goldDesk: ["Account[GOLD]"] });
 *
 * A user with an empty list may act on no path.
 *
 * @throws ProjectionSyntaxError for an invalid path, TypeError when two entries name one user, without any, and for an empty name or `*`,
 * which nobody has.
 */
export function onlyPaths(paths: PathsOfUsers, additionalKeys: Iterable<string> = []): Policy {
  requireArgument("onlyPaths", "paths", paths, PATHS);
  const keys = projectionKeys(additionalKeys);
  const byUser = new Map<string, OwnPaths>();
  for (const [user, texts] of Object.entries(paths)) {
    if (byUser.has(nameKey(user)))
      throw new TypeError(`Two entries are for the user ${JSON.stringify(user)}, in different spellings`);
    byUser.set(nameKey(user), { texts, parsed: texts.map((path) => parsedFor(user, path, keys)) });
  }
  return (request) => {
    const { name } = request.principal;
    const own = byUser.get(nameKey(name));
    if (!own || targetsOf(request).every((isWithin) => own.parsed.some(isWithin))) return undefined;
    return `${request.operation} is refused: user ${JSON.stringify(name)} may act only on ${own.texts.join(", ") || "no path"} and below`;
  };
}

function parsedFor(user: string, path: string, keys: ProjectionKeys): PathSegment[] {
  try {
    return parseProjectionPath(path, keys);
  } catch (error) {
    if (!(error instanceof ProjectionSyntaxError)) throw error;
    const [unknown] = [...path.matchAll(/(?:^|\/)([^[\]/]+)\[/g)].flatMap(([, key = ""]) =>
      keys.has(key) ? [] : [key],
    );
    const hint = unknown === undefined ? "" : didYouMean(unknown, [...keys]);
    throw new ProjectionSyntaxError(
      `onlyPaths of ${JSON.stringify(user)}, ${JSON.stringify(path)}: ${error.message}${hint}`,
    );
  }
}

function isPathsOfUsers(value: unknown): boolean {
  if (!isObject(value)) return false;
  const users = Object.keys(value);
  return users.length > 0 && users.every(isRestrictable) && Object.values(value).every(Array.isArray);
}

interface OwnPaths {
  readonly texts: readonly string[];
  readonly parsed: readonly (readonly PathSegment[])[];
}

/** Whether what a command acts on is at a path or below it. */
type IsWithin = (path: readonly PathSegment[]) => boolean;

/** One for each node or row that a command acts on. */
function targetsOf(request: PolicyRequest): IsWithin[] {
  if (request.operation === "updateRiskTable") {
    // A row holds for the orders that match all its conditions, in whatever order their keys are.
    const rows = request.input.commands.map(({ conditions }): Readonly<Record<string, string>> => conditions);
    return rows.map((row) => (path) => path.every(({ key, value }) => row[key] === value));
  }
  if (!("projectionPath" in request.input)) return [];
  // The API has checked its keys. A policy that fails at one which it was not told of would let the stop pass.
  const segments = parseProjectionPath(request.input.projectionPath, ANY_PROJECTION_KEY);
  return [(path) => path.every(({ key, value }, at) => segments[at]?.key === key && segments[at].value === value)];
}

policyMakers(allOf, readOnly, stopOnly, onlyPaths);
