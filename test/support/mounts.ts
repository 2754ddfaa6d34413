import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import express5 from "express";
import express4 from "express4";
import type { Authenticator } from "../../src/auth/authenticator.ts";
import type { AdminApi } from "../../src/core/admin-api.ts";
import { BASE_PATH } from "../../src/core/conventions.ts";
import type { Operations } from "../../src/core/operations/table.ts";
import type { UnknownFields } from "../../src/core/validation/input-size.ts";
import type { AdminHttpOptions } from "../../src/http/admin-http-options.ts";
import type { HttpDocument } from "../../src/http/documents.ts";
import { adminMiddleware, keepRawBody } from "../../src/http/express.ts";
import { adminHandler } from "../../src/http/node.ts";
import { openApiDocuments } from "../../src/openapi/document.ts";

/** A way of serving the API over HTTP. */
export interface HttpMount {
  readonly name: string;
  /** Listener that serves the API, and the path it is found at. */
  listener(api: AdminApi, options: AdminHttpOptions): { listener: RequestListener; path: string };
}

/** What Express 4 and 5 have in common, as far as the host's own routes need it. */
interface HostApp {
  get(path: string, handler: (request: IncomingMessage, response: ServerResponse) => void): unknown;
}

function hostRoutes(app: HostApp): void {
  app.get("/host", (_request, response) => void response.end("host"));
}

/** All HTTP mounts that the suites run over. */
export const HTTP_MOUNTS: readonly HttpMount[] = [
  {
    name: "node:http",
    listener: (api, options) => ({ listener: adminHandler(api, options), path: BASE_PATH }),
  },
  {
    name: "in front of Express 5",
    listener: (api, options) => {
      const app = express5();
      hostRoutes(app);
      return { listener: adminHandler(api, { ...options, next: app }), path: BASE_PATH };
    },
  },
  {
    name: "Express 5",
    listener: (api, options) => {
      const app = express5();
      app.use(...adminMiddleware(api, options));
      app.use(express5.json());
      hostRoutes(app);
      return { listener: app, path: BASE_PATH };
    },
  },
  {
    name: "Express 5 after express.json(), below a path",
    listener: (api, options) => {
      const app = express5();
      app.use(express5.json({ verify: keepRawBody, limit: "2mb", strict: false }));
      hostRoutes(app);
      app.use("/monitor", ...adminMiddleware(api, options));
      return { listener: app, path: `/monitor${BASE_PATH}` };
    },
  },
  {
    name: "Express 4 after express.json()",
    listener: (api, options) => {
      const app = express4();
      app.use(express4.json({ verify: keepRawBody, limit: "2mb", strict: false }));
      hostRoutes(app);
      app.use(...adminMiddleware(api, options));
      return { listener: app, path: BASE_PATH };
    },
  },
];

/** A mount that listens on a free port of the loopback address. */
export interface ListeningMount {
  readonly server: Server;
  /** URL of the API's base path. */
  readonly url: string;
  readonly origin: string;
  close(): Promise<void>;
}

/** Documents by what they are made of: to make them takes longer than most tests. */
const documents = new WeakMap<Operations, Map<UnknownFields, readonly HttpDocument[]>>();

function documentsOf({ operations, unknownFields }: AdminApi): readonly HttpDocument[] {
  const known = documents.get(operations) ?? new Map<UnknownFields, readonly HttpDocument[]>();
  const made = known.get(unknownFields) ?? openApiDocuments({ operations, unknownFields }, { security: "basic" });
  documents.set(operations, known.set(unknownFields, made));
  return made;
}

/** Serves an API over a mount. */
export async function listenOn(
  mount: HttpMount,
  api: AdminApi,
  authenticator: Authenticator,
  options: Omit<AdminHttpOptions, "authenticator"> = {},
): Promise<ListeningMount> {
  const { listener, path } = mount.listener(api, { documents: documentsOf(api), ...options, authenticator });
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    server,
    url: `${origin}${path}`,
    origin,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
