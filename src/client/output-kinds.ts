// Generated from src/core/operations/table.ts by "npm run docs"; do not edit.
// A separate table, because that one loads zod, which a browser must not.
import type { CallName } from "../core/operations/table.ts";

/** How a value is typed and printed; `time` is in epoch milliseconds, `json` a list or an object. */
export type FieldKind = "text" | "decimal" | "integer" | "time" | "boolean" | "json";

const GET_RISK_TABLE_OUTPUT: Readonly<Record<string, FieldKind>> = { projection: "text", rows: "json" };

const LIST_SERVICES_OUTPUT: Readonly<Record<string, FieldKind>> = {
  name: "text",
  type: "text",
  system: "boolean",
  dma: "boolean",
  enabled: "boolean",
  status: "text",
};

const GET_FIX_SESSION_OUTPUT: Readonly<Record<string, FieldKind>> = {
  gatewayName: "text",
  sessionId: "text",
  status: "text",
  localPort: "integer",
  remoteIp: "text",
  remotePort: "integer",
  inboundSequence: "integer",
  outboundSequence: "integer",
  gatewayType: "text",
  senderId: "text",
  targetId: "text",
  localIp: "text",
  connectTimestamp: "time",
  disconnectTimestamp: "time",
  messagesSent: "integer",
  messagesReceived: "integer",
  bytesSent: "integer",
  bytesReceived: "integer",
};

/** Kinds of the fields of each operation's output, or of each element of it. */
export const OUTPUT_KINDS: Readonly<Record<CallName, Readonly<Record<string, FieldKind>>>> = {
  getTradingStatus: { projectionPath: "text", halted: "boolean", reason: "text" },
  haltTrading: {},
  resumeTrading: {},
  getRiskTable: GET_RISK_TABLE_OUTPUT,
  updateRiskTable: GET_RISK_TABLE_OUTPUT,
  listPositions: {
    projection: "text",
    source: "text",
    destination: "text",
    account: "text",
    trader: "text",
    traderGroup: "text",
    exchange: "text",
    userData: "text",
    symbol: "text",
    moduleKey: "text",
    portfolioKey: "text",
    size: "decimal",
    averageCost: "decimal",
    realizedPnL: "decimal",
    unrealizedPnL: "decimal",
    marketValue: "decimal",
    totalCommission: "decimal",
    openBuySize: "decimal",
    openSellSize: "decimal",
  },
  adjustPosition: {},
  listServices: LIST_SERVICES_OUTPUT,
  getService: LIST_SERVICES_OUTPUT,
  disableService: {},
  enableService: {},
  listFixGateways: { gatewayName: "text", gatewayType: "text", updateTimestamp: "time" },
  getFixGateway: {
    gatewayName: "text",
    gatewayType: "text",
    updateTimestamp: "time",
    sessions: "integer",
    acceptedConnections: "integer",
    rejectedConnections: "integer",
    messagesSent: "integer",
    messagesReceived: "integer",
    bytesSent: "integer",
    bytesReceived: "integer",
  },
  listFixSessions: {
    gatewayName: "text",
    sessionId: "text",
    status: "text",
    localPort: "integer",
    remoteIp: "text",
    remotePort: "integer",
    inboundSequence: "integer",
    outboundSequence: "integer",
  },
  getFixSession: GET_FIX_SESSION_OUTPUT,
  disableFixSession: GET_FIX_SESSION_OUTPUT,
  enableFixSession: GET_FIX_SESSION_OUTPUT,
  disconnectFixSession: GET_FIX_SESSION_OUTPUT,
  listHalts: { complete: "boolean", halts: "json", lost: "json", stops: "json" },
  whoami: { name: "text", authentication: "text", permissions: "json", expires: "time" },
  describeEngine: {
    name: "text",
    version: "text",
    operations: "json",
    haltKeys: "json",
    projectionKeys: "json",
    positionProjections: "json",
    riskTables: "json",
    gatewayTypes: "json",
    counts: "json",
  },
};
