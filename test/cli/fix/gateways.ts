import type { ServerResponse } from "node:http";
import { errorBody, json, ScriptedServer, type SeenRequest } from "../../client/scripted-server.ts";

/** A session of {@link fixServer}. */
export interface ScriptedSession {
  readonly gateway: string;
  readonly id: string;
  readonly status?: "Connected" | "Disconnected" | "Disabled";
  readonly sender?: string;
  readonly target?: string;
  readonly ip?: string;
  readonly port?: number;
  readonly inbound?: number;
  readonly connectedAt?: number;
}

const SESSION = /^\/api\/admin\/v1\/fix\/gateways\/([^/]+)\/sessions\/([^/]+)$/;
const SESSIONS = /^\/api\/admin\/v1\/fix\/gateways\/([^/]+)\/sessions$/;
const GATEWAYS = "/api/admin/v1/fix/gateways";

/** Reads of a server that has these sessions now; a test answers first where it wants to, and returns true. */
export function fixServer(
  sessions: () => readonly ScriptedSession[],
  first: (response: ServerResponse, request: SeenRequest) => unknown = () => false,
): Promise<ScriptedServer> {
  return ScriptedServer.start(async (response, request) => {
    if ((await first(response, request)) === true) return;
    const { path } = request;
    const all = sessions();
    const [, gateway, id] = (SESSION.exec(path) ?? SESSIONS.exec(path) ?? []).map(decodeURIComponent);
    const names = [...new Set(all.map((session) => session.gateway))];
    if (path === GATEWAYS) return json(response, 200, names.map(gatewayOf));
    const own = all.filter((session) => session.gateway === gateway);
    if (gateway !== undefined && own.length === 0) return json(response, 404, errorBody(404, "Unknown FIX gateway"));
    if (id === undefined) return json(response, 200, own.map(listed));
    const session = own.find((candidate) => candidate.id === id);
    return session
      ? json(response, 200, detailed(session))
      : json(response, 404, errorBody(404, "Unknown FIX session"));
  });
}

function gatewayOf(gatewayName: string): object {
  return { gatewayName, gatewayType: "OrderEntry", updateTimestamp: 0 };
}

function listed({
  gateway,
  id,
  status = "Connected",
  ip = "10.1.1.1",
  port = 4000,
  inbound = 1,
}: ScriptedSession): object {
  const isConnected = status === "Connected";
  return {
    gatewayName: gateway,
    sessionId: id,
    status,
    localPort: isConnected ? 9001 : null,
    remoteIp: isConnected ? ip : null,
    remotePort: isConnected ? port : null,
    inboundSequence: inbound,
    outboundSequence: 1,
  };
}

/** A session as its details show it. */
export function detailed(session: ScriptedSession): object {
  return {
    ...listed(session),
    gatewayType: "OrderEntry",
    senderId: session.sender ?? "ENGINE",
    targetId: session.target ?? session.id,
    localIp: "10.20.0.11",
    connectTimestamp: session.connectedAt ?? 0,
    disconnectTimestamp: null,
    messagesSent: 0,
    messagesReceived: 0,
    bytesSent: 0,
    bytesReceived: 0,
  };
}

/** What a test runs the command line with. */
export function environmentOf({ origin }: ScriptedServer): Record<string, string> {
  return { TRADING_ADMIN_URL: origin, TRADING_ADMIN_USER: "desk", TRADING_ADMIN_PASSWORD: "s3cret" };
}
