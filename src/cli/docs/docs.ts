import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { failureReason, isCertainlyUnsent } from "../../client/network-failure.ts";
import { CONSOLE_PATH } from "../../console/console-page.ts";
import { PAGE_PATH } from "../../openapi/page/docs-page.ts";
import { connect } from "../connection/connect.ts";
import type { Run } from "../framework/definition.ts";
import { terminated } from "../process.ts";
import { print } from "../terminal/output.ts";
import { Forwarder } from "./forward.ts";
import { openingPage, SingleSessionGuard } from "./single-session-guard.ts";

/** Tells the page where the gateway is, for the commands that it shows. */
const ORIGIN_HEADER = "X-Admin-Origin";

/** Serves the browser that the address was printed for; `firstPage` is the path of the page that it opens. */
function listenerFor(visitor: SingleSessionGuard, forwarder: Forwarder, firstPage: string): RequestListener {
  return (request, response) => {
    const found = visitor.refusal(request) ?? visitor.opening(request);
    if (found === "opens") {
      const { headers, body } = openingPage(visitor.key, `${forwarder.mount}${firstPage}`);
      response.writeHead(200, headers).end(body);
    } else if (found) respondWithReason(response, found.status, found.reason);
    else if (visitor.knows(request) || forwarder.isPageFile(request)) void respond(forwarder, request, response);
    else turnAway(response);
  };
}

/** Shown by a page in a browser that has no key: another browser, a private window, or one that has logged out. */
const NOT_LET_IN = "Open the address that was printed. It works once: for another browser, run the command again";

/** Turns away a page that has no key, in the shape of the API's errors, so that it shows why; Swagger UI shows the phrase of the status. */
function turnAway(response: ServerResponse): void {
  const headers = { "Content-Type": "application/json", "Cache-Control": "no-store", "X-Admin-Outcome": "not-applied" };
  response
    .writeHead(403, NOT_LET_IN, headers)
    .end(JSON.stringify({ status: 403, error: "Forbidden", message: NOT_LET_IN }));
}

async function respond(forwarder: Forwarder, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const target = forwarder.target(request.url ?? "");
  if (!target) return respondWithReason(response, 404, "only the pages, what they load and the API are here");
  try {
    const { status, headers, body } = await forwarder.forward(request, target);
    response.writeHead(status, { ...headers, [ORIGIN_HEADER]: forwarder.origin }).end(body);
  } catch (error) {
    const outcome = isCertainlyUnsent(error) ? "nothing was sent" : "a command may have been applied: read the state";
    const reason = `No response came from ${forwarder.origin} (${failureReason(error)}); ${outcome}`;
    respondWithReason(response, 502, reason);
  }
}

function respondWithReason(response: ServerResponse, status: number, reason: string): void {
  response.writeHead(status, { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store" });
  response.end(`${reason}\n`);
}

/** The pages of a gateway, by the name of the command that opens each; from one a link leads to the other. */
const PAGES: Readonly<Record<string, string>> = { docs: PAGE_PATH, console: CONSOLE_PATH };

/**
 * Serves the pages of a gateway to one browser on this machine, and adds the credentials to its requests: a browser cannot open a
 * page with a bearer token. Runs until SIGTERM or SIGINT.
 */
export const run: Run = async ({ command: { name }, options }) => {
  const { address, credentials, tls } = await connect(options);
  const server = createServer();
  const visitor = new SingleSessionGuard(await listenAtLoopback(server));
  server.on("request", listenerFor(visitor, new Forwarder(address, credentials, tls), PAGES[name] ?? PAGE_PATH));
  const termination = terminated();
  print(`${name} of ${address.origin} for one browser on this machine, until Ctrl-C\nopen ${visitor.url}\n`);
  await termination;
  server.close();
  server.closeAllConnections();
};

/**
 * Listens at an address of this machine that was drawn at random, and returns its origin. At `127.0.0.1` another user may have had
 * the port before, and have left a service worker in the browser, which would then have these pages. Systems that have no other
 * loopback address, such as macOS, get `127.0.0.1`.
 */
export async function listenAtLoopback(server: Server): Promise<string> {
  const drawn = `127.${randomInt(1, 255)}.${randomInt(1, 255)}.${randomInt(1, 255)}`;
  try {
    return await listen(server, drawn);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRNOTAVAIL") throw error;
    return listen(server, "127.0.0.1");
  }
}

async function listen(server: Server, address: string): Promise<string> {
  await once(server.listen(0, address), "listening");
  return `http://${address}:${(server.address() as AddressInfo).port}`;
}
