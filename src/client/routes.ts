// Generated from src/core/operations/table.ts and src/core/errors.ts by "npm run docs"; do not edit.
// A table of its own, because those two load zod and node:http, which a browser shall not.
import type { Names, Operation, RetryClass } from "../core/operations/operation.ts";
import type { CallName } from "../core/operations/table.ts";

/** What a 200 carries: nothing, a JSON object or a JSON array. */
export type ResponseBody = "empty" | "object" | "array";

/** How an operation travels. */
export interface Route extends Pick<Operation, "method" | "path" | "in"> {
  /** `safe` for reads; a mutation is never repeated (decision D-ENG 2). */
  readonly retry: RetryClass;
  readonly response: ResponseBody;
  /** What is in every such object, or in every object of the array, also where its value is null. */
  readonly fields: readonly string[];
  /** Which of these repeat what was asked for, by the field of the input. */
  readonly names?: Names;
}

const GET_RISK_TABLE_FIELDS: readonly string[] = ["projection", "rows"];

const LIST_SERVICES_FIELDS: readonly string[] = ["name", "type", "system", "dma", "enabled", "status"];

const GET_FIX_SESSION_FIELDS: readonly string[] = [
  "gatewayName",
  "sessionId",
  "status",
  "localPort",
  "remoteIp",
  "remotePort",
  "inboundSequence",
  "outboundSequence",
  "gatewayType",
  "senderId",
  "targetId",
  "localIp",
  "connectTimestamp",
  "disconnectTimestamp",
  "messagesSent",
  "messagesReceived",
  "bytesSent",
  "bytesReceived",
];

/** How each operation travels. */
export const ROUTES: Readonly<Record<CallName, Route>> = {
  getTradingStatus: {
    method: "GET",
    path: "/trading/status",
    in: "query",
    retry: "safe",
    response: "object",
    fields: ["projectionPath", "halted", "reason"],
    names: { projectionPath: "projectionPath" },
  },
  haltTrading: { method: "POST", path: "/trading/halt", in: "body", retry: "never", response: "empty", fields: [] },
  resumeTrading: { method: "POST", path: "/trading/resume", in: "body", retry: "never", response: "empty", fields: [] },
  getRiskTable: {
    method: "GET",
    path: "/risk/table",
    in: "query",
    retry: "safe",
    response: "object",
    fields: GET_RISK_TABLE_FIELDS,
    names: { projection: "projection" },
  },
  updateRiskTable: {
    method: "POST",
    path: "/risk/update",
    in: "body",
    retry: "never",
    response: "object",
    fields: GET_RISK_TABLE_FIELDS,
    names: { projection: "projection" },
  },
  listPositions: {
    method: "POST",
    path: "/positions",
    in: "body",
    retry: "safe",
    response: "array",
    fields: [
      "projection",
      "size",
      "averageCost",
      "realizedPnL",
      "unrealizedPnL",
      "marketValue",
      "totalCommission",
      "openBuySize",
      "openSellSize",
    ],
  },
  adjustPosition: {
    method: "POST",
    path: "/positions/adjust",
    in: "body",
    retry: "never",
    response: "empty",
    fields: [],
  },
  listServices: {
    method: "GET",
    path: "/services",
    in: "query",
    retry: "safe",
    response: "array",
    fields: LIST_SERVICES_FIELDS,
  },
  getService: {
    method: "GET",
    path: "/services/{name}",
    in: "query",
    retry: "safe",
    response: "object",
    fields: LIST_SERVICES_FIELDS,
    names: { name: "name" },
  },
  disableService: {
    method: "POST",
    path: "/services/{name}/disable",
    in: "body",
    retry: "never",
    response: "empty",
    fields: [],
  },
  enableService: {
    method: "POST",
    path: "/services/{name}/enable",
    in: "body",
    retry: "never",
    response: "empty",
    fields: [],
  },
  listFixGateways: {
    method: "GET",
    path: "/fix/gateways",
    in: "query",
    retry: "safe",
    response: "array",
    fields: ["gatewayName", "gatewayType", "updateTimestamp"],
  },
  getFixGateway: {
    method: "GET",
    path: "/fix/gateways/{gateway}",
    in: "query",
    retry: "safe",
    response: "object",
    fields: [
      "gatewayName",
      "gatewayType",
      "updateTimestamp",
      "sessions",
      "acceptedConnections",
      "rejectedConnections",
      "messagesSent",
      "messagesReceived",
      "bytesSent",
      "bytesReceived",
    ],
    names: { gateway: "gatewayName" },
  },
  listFixSessions: {
    method: "GET",
    path: "/fix/gateways/{gateway}/sessions",
    in: "query",
    retry: "safe",
    response: "array",
    fields: [
      "gatewayName",
      "sessionId",
      "status",
      "localPort",
      "remoteIp",
      "remotePort",
      "inboundSequence",
      "outboundSequence",
    ],
    names: { gateway: "gatewayName" },
  },
  getFixSession: {
    method: "GET",
    path: "/fix/gateways/{gateway}/sessions/{session}",
    in: "query",
    retry: "safe",
    response: "object",
    fields: GET_FIX_SESSION_FIELDS,
    names: { gateway: "gatewayName", session: "sessionId" },
  },
  disableFixSession: {
    method: "POST",
    path: "/fix/gateways/{gateway}/sessions/{session}/disable",
    in: "body",
    retry: "never",
    response: "object",
    fields: GET_FIX_SESSION_FIELDS,
    names: { gateway: "gatewayName", session: "sessionId" },
  },
  enableFixSession: {
    method: "POST",
    path: "/fix/gateways/{gateway}/sessions/{session}/enable",
    in: "body",
    retry: "never",
    response: "object",
    fields: GET_FIX_SESSION_FIELDS,
    names: { gateway: "gatewayName", session: "sessionId" },
  },
  disconnectFixSession: {
    method: "POST",
    path: "/fix/gateways/{gateway}/sessions/{session}/disconnect",
    in: "body",
    retry: "never",
    response: "object",
    fields: GET_FIX_SESSION_FIELDS,
    names: { gateway: "gatewayName", session: "sessionId" },
  },
  listHalts: {
    method: "GET",
    path: "/trading/halts",
    in: "query",
    retry: "safe",
    response: "object",
    fields: ["complete", "halts"],
  },
  whoami: {
    method: "GET",
    path: "/whoami",
    in: "query",
    retry: "safe",
    response: "object",
    fields: ["name", "authentication", "permissions", "expires"],
  },
  describeEngine: {
    method: "GET",
    path: "/engine",
    in: "query",
    retry: "safe",
    response: "object",
    fields: ["name", "operations"],
  },
};

/** Statuses that mean, in a response of the API itself, that a mutation was not applied. */
export const NOT_APPLIED_STATUSES: ReadonlySet<number> = new Set([
  400, // Bad Request
  401, // Unauthorized
  403, // Forbidden
  404, // Not Found
  405, // Method Not Allowed
  408, // Request Timeout
  412, // Precondition Failed
  413, // Payload Too Large
  414, // URI Too Long
  415, // Unsupported Media Type
  429, // Too Many Requests
  431, // Request Header Fields Too Large
  503, // Service Unavailable
]);
