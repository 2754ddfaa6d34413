/**
 * For those who extend the library: what transports, adapters and authenticators are written against. Hosts need none of it.
 *
 * - A transport implements {@link EngineTransport} and rejects with {@link TransportError}; `transportConformance` of
 *   `trading-admin-api/testing` says whether it holds to the contract.
 * - An adapter for a framework hands {@link HttpRequest}s to {@link httpHandler}; one for another protocol calls `AdminApi.invoke`
 *   with an {@link InputSource}.
 * - An authenticator implements {@link Authenticator}.
 *
 * "Specification" is `docs/specification.md` of this package.
 *
 * @module
 */
export type { Authentication, Authenticator, Caller, PresentedCredentials } from "./auth/authenticator.ts";
export type { InputSource } from "./core/calls/call.ts";
export {
  type EngineContext,
  type EngineExchange,
  type EngineRefusal,
  type EngineReply,
  type EngineRequest,
  type EngineTransport,
  type ReplyTime,
  TransportError,
  type TransportFault,
} from "./core/engine/transport.ts";
export { Gate, type Job } from "./core/load/gate.ts";
export { LongList } from "./core/load/long-list.ts";
export type { OutputForm } from "./core/load/output-form.ts";
export { type Priority, StopPriority } from "./core/load/stop-priority.ts";
export type { Turns } from "./core/load/turns.ts";
export type { BusMethod } from "./core/operations/table.ts";
export { ValidInput } from "./core/validation/validation.ts";
export type { AdminHttpOptions } from "./http/admin-http-options.ts";
export { httpHandler } from "./http/handler.ts";
export type { BodyQuota, HttpHandler, HttpRequest, HttpResponse, RequestBody } from "./http/message.ts";
