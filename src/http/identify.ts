import type { Authentication, Authenticator } from "../auth/authenticator.ts";
import { stranger } from "../core/load/caller-queue.ts";
import type { Gate, Urgency } from "../core/load/gate.ts";
import { isThenable } from "../core/values/basics.ts";
import type { HttpRequest } from "./message.ts";

/** Who checks credentials, and the gate at whose turns their callers go on. */
export interface Identification {
  readonly authenticator: Authenticator;
  readonly gate: Gate;
}

/** Finds out who sends a request. A stop is carried out although its caller has left. */
export function identify(
  { authenticator, gate }: Identification,
  request: HttpRequest,
  isStop = false,
): Authentication | Promise<Authentication> {
  const caller = isStop ? { isStop, address: request.address } : request;
  const found = authenticator.authenticate(request.header("authorization"), caller);
  return isThenable(found) ? checked(gate, found, request.address, isStop) : found;
}

/** What a check found, at a turn of its caller: one check may answer hundreds of requests. */
async function checked(
  gate: Gate,
  found: PromiseLike<Authentication>,
  address: string | undefined,
  isStop: boolean,
): Promise<Authentication> {
  let caller = stranger(address);
  let urgency: Urgency = "other";
  const uncount = isStop ? gate.countStop(caller) : undefined;
  try {
    const authentication = await found;
    if (authentication.kind === "principal") {
      caller = authentication.principal.name;
      if (isStop) urgency = gate.stopUrgency(caller);
    }
    return authentication;
  } finally {
    uncount?.();
    await gate.resume(caller, urgency);
  }
}
