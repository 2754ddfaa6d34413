import type { Authentication, Authenticator } from "../auth/authenticator.ts";
import type { AdminApi } from "../core/admin-api.ts";
import { anonymousCaller } from "../core/load/caller-queue.ts";
import type { Gate } from "../core/load/gate.ts";
import type { Priority } from "../core/load/stop-priority.ts";
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
  isStop = false,
): Authentication | Promise<Authentication> {
  const caller = isStop ? { isStop, address: request.address } : request;
  const found = authenticator.authenticate(request.header("authorization"), caller);
  return isThenable(found) ? inTurn(api.gate, found, request, isStop) : identified(found, request);
}

/** Resumes at a turn of the caller: one check may answer hundreds of requests. */
async function inTurn(
  gate: Gate,
  found: PromiseLike<Authentication>,
  request: HttpRequest,
  isStop: boolean,
): Promise<Authentication> {
  let caller = anonymousCaller(request.origin ?? request.address);
  let priority: Priority = "other";
  const uncount = isStop ? gate.stopPriority.count(caller) : undefined;
  try {
    const authentication = identified(await found, request);
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

function identified(authentication: Authentication, request: HttpRequest): Authentication {
  request.authenticated?.(authentication.kind === "principal" ? authentication.principal.name : undefined);
  return authentication;
}
