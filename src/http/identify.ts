import type { Authentication, Authenticator } from "../auth/authenticator.ts";
import type { AdminApi } from "../core/admin-api.ts";
import { anonymousCaller } from "../core/load/caller-queue.ts";
import type { Gate } from "../core/load/gate.ts";
import type { Priority } from "../core/load/stop-priority.ts";
import type { Lane } from "../core/operations/operation.ts";
import { isPrincipal, type Principal } from "../core/principal.ts";
import { isThenable } from "../core/values/basics.ts";
import type { HttpRequest } from "./message.ts";

/** The authenticator, and the API whose gate schedules the callers. */
export interface Identification {
  readonly authenticator: Authenticator;
  readonly api: Pick<AdminApi, "gate">;
}

/** Finds out who sends a request, and tells its adapter. A stop is carried out although its caller has left. */
export function identify(
  { authenticator, api }: Identification,
  request: HttpRequest,
  lane: Lane = "read",
): Authentication | Promise<Authentication> {
  const isStop = lane === "stop";
  const caller = isStop ? { isStop, address: request.address } : request;
  const found = authenticator.authenticate(request.header("authorization"), caller);
  return isThenable(found) ? inTurn(api.gate, found, request, lane) : identified(found, request, lane);
}

/** Resumes at a turn of the caller: one check may answer hundreds of requests. */
async function inTurn(
  gate: Gate,
  found: PromiseLike<Authentication>,
  request: HttpRequest,
  lane: Lane,
): Promise<Authentication> {
  const isStop = lane === "stop";
  let caller = anonymousCaller(request.origin ?? request.address);
  let priority: Priority = "other";
  const uncount = isStop ? gate.stopPriority.count(caller) : undefined;
  try {
    const authentication = identified(await found, request, lane);
    if (authentication.kind === "principal") {
      caller = authentication.principal.name;
      if (isStop) priority = gate.stopPriority.priority(caller);
    }
    return authentication;
  } finally {
    uncount?.();
    await gate.reenter(caller, priority);
  }
}

function identified(found: Authentication, request: HttpRequest, lane: Lane): Authentication {
  checkAuthentication(found);
  if (found.kind !== "principal") {
    request.authenticated?.(undefined, false);
    return found;
  }
  request.authenticated?.(found.principal.name, lane !== "read");
  const principal = withMethod(found.principal, request.header("authorization"));
  return principal === found.principal ? found : { ...found, principal };
}

/** Nobody is `direct` over HTTP: whoever does not say how a user authenticated gets the scheme of the header (decision D-AUTH 22). */
function withMethod(user: Principal, authorization: string | undefined): Principal {
  if (user.authentication !== "direct") return user;
  const [, scheme] = /^(basic|bearer) /i.exec(authorization ?? "") ?? [];
  if (scheme === undefined) return user;
  const authentication = scheme.toLowerCase() === "basic" ? "basic" : "bearer";
  // A host may have its own class, whose members a copy does not have.
  const { name, permissions } = user;
  const now = user.permissionsNow && { permissionsNow: () => user.permissionsNow?.() };
  return { ...user, ...now, name, permissions, authentication };
}

/** What a challenge may hold, as it becomes a header (RFC 9110 section 5.5). */
const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]+$/;

/** Refuses what is not an {@link Authentication}, as of a host without a compiler: nobody is let in by mistake. */
function checkAuthentication(found: Authentication | undefined): asserts found is Authentication {
  switch (found?.kind) {
    case "principal":
      if (isPrincipal(found.principal)) return;
      throw new TypeError("An authenticator's `principal` has to be one as principal(name, permissions) makes it");
    case "challenge":
      if (typeof found.challenge === "string" && FIELD_VALUE.test(found.challenge)) return;
      throw new TypeError("An authenticator's `challenge` has to be the text of WWW-Authenticate, such as Bearer");
    case "throttled":
    case "closed":
      return;
    default:
      throw new TypeError(
        'An authenticator has to return { kind: "principal", principal } or { kind: "challenge", challenge }, or a promise of either',
      );
  }
}
