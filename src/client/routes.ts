// Generated from src/core/operations/table.ts and src/core/errors.ts by "npm run docs"; do not edit.
// A separate table, because those two load zod and node:http, which a browser must not.
import type { Names, Operation } from "../core/operations/operation.ts";
import type { CallName } from "../core/operations/table.ts";

/** How an operation travels: the fields outside the path in the query of a GET, or in the body of a POST. */
export interface Route extends Pick<Operation, "method" | "path"> {
  /** Of reads; a mutation is never repeated (decision D-ENG 2). */
  readonly retry?: "safe";
  /** What a 200 carries as JSON; absent for nothing. */
  readonly response?: "object" | "array";
  /** Fields of the output that may lack; all others are in every object, also where their value is null. */
  readonly optional?: readonly string[];
  /** Fields of the output that repeat what was requested, by the field of the input. */
  readonly names?: Names;
}

/** How each operation travels. */
export const ROUTES: Readonly<Record<CallName, Route>> = {
  getTradingStatus: {
    method: "GET",
    path: "/trading/status",
    retry: "safe",
    response: "object",
    names: { projectionPath: "projectionPath" },
  },
  haltTrading: { method: "POST", path: "/trading/halt" },
  resumeTrading: { method: "POST", path: "/trading/resume" },
  getRiskTable: {
    method: "GET",
    path: "/risk/table",
    retry: "safe",
    response: "object",
    names: { projection: "projection" },
  },
  updateRiskTable: { method: "POST", path: "/risk/update", response: "object", names: { projection: "projection" } },
  listPositions: {
    method: "POST",
    path: "/positions",
    retry: "safe",
    response: "array",
    optional: [
      "source",
      "destination",
      "account",
      "trader",
      "traderGroup",
      "exchange",
      "userData",
      "symbol",
      "moduleKey",
      "portfolioKey",
    ],
  },
  adjustPosition: { method: "POST", path: "/positions/adjust" },
  listServices: { method: "GET", path: "/services", retry: "safe", response: "array" },
  getService: { method: "GET", path: "/services/{name}", retry: "safe", response: "object", names: { name: "name" } },
  disableService: { method: "POST", path: "/services/{name}/disable" },
  enableService: { method: "POST", path: "/services/{name}/enable" },
  listFixGateways: { method: "GET", path: "/fix/gateways", retry: "safe", response: "array" },
  getFixGateway: {
    method: "GET",
    path: "/fix/gateways/{gateway}",
    retry: "safe",
    response: "object",
    names: { gateway: "gatewayName" },
  },
  listFixSessions: {
    method: "GET",
    path: "/fix/gateways/{gateway}/sessions",
    retry: "safe",
    response: "array",
    names: { gateway: "gatewayName" },
  },
  getFixSession: {
    method: "GET",
    path: "/fix/gateways/{gateway}/sessions/{session}",
    retry: "safe",
    response: "object",
    names: { gateway: "gatewayName", session: "sessionId" },
  },
  disableFixSession: {
    method: "POST",
    path: "/fix/gateways/{gateway}/sessions/{session}/disable",
    response: "object",
    names: { gateway: "gatewayName", session: "sessionId" },
  },
  enableFixSession: {
    method: "POST",
    path: "/fix/gateways/{gateway}/sessions/{session}/enable",
    response: "object",
    names: { gateway: "gatewayName", session: "sessionId" },
  },
  disconnectFixSession: {
    method: "POST",
    path: "/fix/gateways/{gateway}/sessions/{session}/disconnect",
    response: "object",
    names: { gateway: "gatewayName", session: "sessionId" },
  },
  listHalts: { method: "GET", path: "/trading/halts", retry: "safe", response: "object", optional: ["lost", "stops"] },
  whoami: { method: "GET", path: "/whoami", retry: "safe", response: "object" },
  describeEngine: {
    method: "GET",
    path: "/engine",
    retry: "safe",
    response: "object",
    optional: ["version", "haltKeys", "projectionKeys", "positionProjections", "riskTables", "gatewayTypes", "counts"],
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
