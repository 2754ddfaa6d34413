import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { failureReason, isCertainlyUnsent } from "../../client/network-failure.ts";
import { CONSOLE_PATH } from "../../console/console-page.ts";
import { PAGE_PATH } from "../../openapi/page/docs-page.ts";
import type { Run } from "../command/definition.ts";
import { connect } from "../connection/connect.ts";
import { terminated } from "../process.ts";
import { print } from "../terminal/output.ts";
import { Forwarder } from "./forward.ts";
import { OneVisitor } from "./one-visitor.ts";

const LOOPBACK = "127.0.0.1";

/** Tells the page where the gateway is, for the commands that it shows. */
const ORIGIN_HEADER = "X-Admin-Origin";

/** Serves the browser that the address was printed for; `firstPage` is the path of the page that it opens. */
function listenerFor(visitor: OneVisitor, forwarder: Forwarder, firstPage: string): RequestListener {
  return (request, response) => {
    const found = visitor.check(request);
    if (found === "opens") {
      const headers = { "Set-Cookie": visitor.cookie, "Referrer-Policy": "no-referrer" };
      response.writeHead(303, { ...headers, Location: `${forwarder.mount}${firstPage}` }).end();
    } else if (found) respondWithReason(response, found.status, found.reason);
    else void respond(forwarder, request, response);
  };
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
  await once(server.listen(0, LOOPBACK), "listening");
  const visitor = new OneVisitor((server.address() as AddressInfo).port);
  server.on("request", listenerFor(visitor, new Forwarder(address, credentials, tls), PAGES[name] ?? PAGE_PATH));
  const termination = terminated();
  print(`${name} of ${address.origin} for one browser on this machine, until Ctrl-C\nopen ${visitor.url}\n`);
  await termination;
  server.close();
  server.closeAllConnections();
};
