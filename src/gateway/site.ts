import type { IncomingMessage, ServerResponse } from "node:http";
import type { Authenticator } from "../auth/authenticator.ts";
import { authenticationMechanism } from "../config/mechanism.ts";
import type { Settings } from "../config/settings.ts";
import { CONSOLE_PATH, consolePage } from "../console/console-page.ts";
import type { AdminApi } from "../core/admin-api.ts";
import { BASE_PATH } from "../core/conventions.ts";
import type { AdminHttpOptions } from "../http/admin-http-options.ts";
import { CallerAddresses } from "../http/client-address.ts";
import { type HttpDocument, redirect } from "../http/documents.ts";
import { httpHandler } from "../http/handler.ts";
import { requestedHost } from "../http/headers.ts";
import type { HttpHandler } from "../http/message.ts";
import type { NodeListener } from "../http/node.ts";
import { listenerOf, NodeRequest, notFound, notFoundBeside, writeResponse } from "../http/node-messages.ts";
import { openApiDocuments } from "../openapi/document.ts";
import { docsPage, PAGE_PATH } from "../openapi/page/docs-page.ts";
import { ACTUATOR_PATH } from "./actuator/actuator.ts";
import type { Monitoring } from "./actuator/monitoring.ts";
import type { MonitorLog } from "./log/monitor-log.ts";
import { respondWithText } from "./proxy/messages.ts";
import { openMonitor, trustedProxiesOf } from "./proxy/monitor.ts";
import type { UpgradeListener } from "./server/request-head.ts";

export interface SiteParts {
  readonly settings: Settings;
  readonly log: MonitorLog;
  readonly api: AdminApi;
  readonly authenticator: Authenticator;
  readonly monitoring: Monitoring;
}

/** The gateway's port: our paths, and the monitor backend behind them. */
export interface Site {
  readonly listener: NodeListener;
  /** Takes over WebSocket connections to the monitor; undefined without one. */
  readonly takeUpgrade: UpgradeListener | undefined;
  close(): void;
}

/**
 * Puts together what is served at the gateway's port. With `admin.api.enabled: false` the API is not mounted: its paths are
 * unknown, or the monitor's (decisions D-HTTP 9, D-HTTP 24). Rejects with `ConfigurationError`.
 */
export async function openSite(parts: SiteParts): Promise<Site> {
  const { settings, monitoring } = parts;
  const trustedProxies = trustedProxiesOf(settings);
  const callers = new CallerAddresses(trustedProxies);
  const hasActuator = settings["management.server.port"] === undefined;
  const actuator = hasActuator ? [ACTUATOR_PATH] : [];
  const managed = (next: NodeListener): NodeListener =>
    hasActuator ? listenerOf(monitoring.actuator, next, callers) : next;
  if (!settings["admin.api.enabled"]) {
    const monitor = await openMonitor(parts, actuator);
    return siteOf(managed(monitor?.serve(notFound) ?? notFound), monitor);
  }
  const pages = pagesOf(parts);
  const documents = [...documentsOf(parts), ...pages];
  const handle = httpHandler(parts.api, apiOptions(parts, documents));
  const serve = (others: NodeListener): NodeListener => listenerOf(handle, managed(others), callers);
  const monitor = await openMonitor(parts, [BASE_PATH, ...pathsOf(documents), ...actuator]);
  const listener = serve(monitor?.serve(unknownPath(handle, callers)) ?? notFoundBeside());
  const name = settings["gateway.pages.host"];
  if (name === undefined) return siteOf(listener, monitor);
  const host = new PagesHost(name, homeOf(settings), pathsOf(pages));
  return siteOf(host.listener({ pages: serve(notFoundBeside()), others: listener }), monitor, host);
}

/** The monitor has no part in the host of the pages. */
function siteOf(listener: NodeListener, monitor: Awaited<ReturnType<typeof openMonitor>>, host?: PagesHost): Site {
  const takeUpgrade: UpgradeListener = (request, socket, head) =>
    host?.isAsked(request) !== true && monitor?.takeUpgrade(request, socket, head) === true;
  return { listener, takeUpgrade: monitor && takeUpgrade, close: () => monitor?.close() };
}

/** Whether the gateway has the console; by default where there is no monitor with its own pages. */
export function hasConsole(settings: Settings): boolean {
  return settings["gateway.console.enabled"] ?? settings["gateway.monitor.url"] === undefined;
}

function apiOptions({ settings, authenticator, monitoring }: SiteParts, documents: HttpDocument[]): AdminHttpOptions {
  return {
    authenticator,
    onResponse: monitoring.onResponse,
    maxBodyBytes: settings["admin.api.max-body-size"],
    onlyOwnPages: settings["gateway.monitor.url"] !== undefined,
    documents,
  };
}

/** Documents beside the API, except the pages. `/` belongs to the monitor where there is one. */
function documentsOf({ settings, api }: SiteParts): HttpDocument[] {
  const security = authenticationMechanism(settings).kind === "token" ? "bearer" : "basic";
  const isOurs = settings["gateway.monitor.url"] === undefined;
  return [...openApiDocuments(api, { security }), ...(isOurs ? [redirect("/", homeOf(settings))] : [])];
}

function pagesOf({ settings, api }: SiteParts): HttpDocument[] {
  const console = hasConsole(settings);
  const { "gateway.console.name": name, "gateway.console.colour": colour } = settings;
  const docs = docsPage({ console, name, colour });
  return [...docs, ...(console ? consolePage({ docs: true, api, name, colour }) : [])];
}

function pathsOf(documents: readonly HttpDocument[]): string[] {
  return documents.map(({ path }) => path);
}

/** The first page. */
function homeOf(settings: Settings): string {
  return hasConsole(settings) ? CONSOLE_PATH : PAGE_PATH;
}

/** Responds to a path that is not ours as it is written, but means one of ours: 401, and 404 to a caller with credentials (decision D-GATE 1). */
function unknownPath(handle: HttpHandler, callers: CallerAddresses): NodeListener {
  return (request, response) => {
    // No path of an operation ends in a slash (decision D-HTTP 3).
    const responding = handle(new NodeRequest(request, response, `${BASE_PATH}/`, callers));
    if (responding) void responding.then((ours) => writeResponse(request, response, ours));
    else notFound(request, response);
  };
}

/** The host name at which browsers find our pages, apart from those of the monitor (decision D-GATE 21). */
class PagesHost {
  readonly #name: string;
  readonly #home: string;
  readonly #paths: ReadonlySet<string>;

  /** `paths` are those of the pages and of what they load; `home` is the first page. */
  constructor(name: string, home: string, paths: readonly string[]) {
    this.#name = name.toLowerCase();
    this.#home = home;
    this.#paths = new Set(paths);
  }

  /** Whether a request is for this name, at whatever port. */
  isAsked(request: IncomingMessage): boolean {
    return requestedHost(request).toLowerCase().replace(/:\d*$/, "") === this.#name;
  }

  /** Under other names, paths of pages lead here: before the browser has asked for a password there. */
  listener({ pages, others }: { readonly pages: NodeListener; readonly others: NodeListener }): NodeListener {
    return (request, response) => {
      const [path = ""] = (request.url ?? "").split("?", 1);
      if (this.isAsked(request) && path === "/") this.#lead(request, response, this.#home);
      else if (this.isAsked(request)) pages(request, response);
      else if (this.#paths.has(path)) this.#lead(request, response, request.url ?? this.#home);
      else others(request, response);
    };
  }

  #lead(request: IncomingMessage, response: ServerResponse, to: string): void {
    const port = /:\d+$/.exec(requestedHost(request))?.[0] ?? "";
    response.setHeader("Location", `//${this.#name}${port}${to}`);
    respondWithText(response, 302, `This page is at ${this.#name}`);
    request.resume();
  }
}
