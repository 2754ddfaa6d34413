/**
 * The API as a listener of `node:http`, for hosts.
 *
 * "Specification" is `docs/specification.md` of this package.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AdminApi } from "../core/admin-api.ts";
import { processWarnings } from "../core/logger.ts";
import { functionLike, requireArgument } from "../core/options.ts";
import type { AdminHttpOptions } from "./admin-http-options.ts";
import { CallerAddresses } from "./client-address.ts";
import { httpHandler } from "./handler.ts";
import { continueDeferred, deferContinueOf } from "./node-body.ts";
import { listenerOf, notFoundBeside } from "./node-messages.ts";

/** A listener of `node:http`, or anything that is called like one, such as an Express app. */
export type NodeListener = (request: IncomingMessage, response: ServerResponse) => void;

export interface AdminHandlerOptions extends AdminHttpOptions {
  /** Handles paths outside the API; without it they get 404. */
  readonly next?: NodeListener;
}

/**
 * Makes a `node:http` listener that serves the API and passes other requests to `next`. In front of an Express app it is much faster
 * than mounted in it.
 *
 * @example
 * createServer(adminHandler(api, { authenticator, next: app })).listen(8988, "127.0.0.1");
 */
export function adminHandler(api: AdminApi, options: AdminHandlerOptions): NodeListener {
  const handle = httpHandler(api, options);
  const { next = notFoundBeside(options.basePath), trustedProxies } = options;
  const others: NodeListener = (request, response) => {
    continueDeferred(request, response);
    next(request, response);
  };
  return warningOfMiddleware(listenerOf(handle, others, new CallerAddresses(trustedProxies)));
}

/** Warns who has given a listener to `app.use`: the routes behind it are never asked, and a body that the app has read is missing. */
function warningOfMiddleware(listener: NodeListener): NodeListener {
  const warnings = processWarnings(
    "or put it in front of the app: createServer(adminHandler(api, { authenticator, next: app }))",
  );
  return (request, response, next?: unknown) => {
    if (typeof next === "function")
      warnings.warn(
        "adminHandler is called as middleware, so no later route is reached: use app.use(...adminMiddleware(api, { authenticator })) " +
          "of trading-admin-api/express",
      );
    listener(request, response);
  };
}

/**
 * Makes a listener for `checkContinue` of an HTTP server: the API sends `100 Continue` only when it needs the body,
 * so that a refused upload is never sent (RFC 9110 section 10.1.1).
 *
 * @example
 * server.on("checkContinue", deferContinue(listener));
 */
export function deferContinue(listener: NodeListener): NodeListener {
  requireArgument("deferContinue", "listener", listener, functionLike("adminHandler(api, { authenticator })"));
  return (request, response) => {
    deferContinueOf(request);
    listener(request, response);
  };
}

export type { AdminHttpOptions, ResponseListener, ResponseReport, TrustedProxies } from "./admin-http-options.ts";
export { type GuardOptions, guardServer } from "./guard/guard-server.ts";
