/** What others do with a connection under the guard. */
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Arrival } from "../core/calls/call.ts";
import type { GuardedRequest } from "./guarded-request.ts";
import { Inflow, type InflowRules } from "./inflow.ts";

const INFLOW = Symbol("inflow");

interface GuardedSocket extends Socket {
  [INFLOW]?: Inflow;
}

/**
 * Applies the rules to the bytes of a connection; call it after the server's own listener. `arrival` is that of bytes that come next
 * and have waited.
 */
export function guardConnection(socket: GuardedSocket, rules: InflowRules, arrival?: Arrival): void {
  socket[INFLOW] ??= new Inflow(socket, rules, arrival);
  socket[INFLOW].attach();
}

/** Notes that a request of a guarded connection has been parsed. */
export function requestBegan(request: GuardedRequest, response: ServerResponse): void {
  (request.socket as GuardedSocket)[INFLOW]?.began(request, response);
}

/** Makes the user of the latest request the caller of its connection; none if its credentials were not accepted. */
export function callerIsUser(socket: GuardedSocket, user: string | undefined): void {
  socket[INFLOW]?.callerIs(user);
}

/** Whether a user has logged in over a connection. */
export function isOfUser(socket: GuardedSocket): boolean {
  return socket[INFLOW]?.isOfUser ?? false;
}

/**
 * Takes back bytes that were handed on and that no reader has had: they reach the next parser in turns, too. False if the connection
 * has no guard, or the end of its bytes has been handed on.
 */
export function guardAgain(socket: GuardedSocket, bytes: Buffer): boolean {
  return socket[INFLOW]?.takeBack(bytes) ?? false;
}
