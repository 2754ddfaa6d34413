// Generated from src/core/operations/table.ts by "npm run docs"; do not edit.
// A separate table, because that one loads zod: a halt would start later.
import type { OperationName } from "../../core/operations/table.ts";
import type { InputField, OperationFacts } from "./operation-facts.ts";

const PROJECTION_PATH: InputField = {
  name: "projectionPath",
  kind: "text",
  description:
    "Projection path: `Key[value]` segments joined by `/`. Empty means system-wide. Keys: Source, Destination, Account, Trader, TraderGroup, Exchange, UserData, Symbol, RootSymbol, Currency, ModuleKey, PortfolioKey.",
};

const PROJECTION: InputField = {
  name: "projection",
  kind: "text",
  required: true,
  description:
    "Projection: projection keys joined by `/`. Empty means the root level. Keys: Source, Destination, Account, Trader, TraderGroup, Exchange, UserData, Symbol, RootSymbol, Currency, ModuleKey, PortfolioKey.",
};

const NAME: InputField = { name: "name", kind: "text", required: true, description: "Name of the service." };

const GATEWAY: InputField = { name: "gateway", kind: "text", required: true, description: "Name of the FIX gateway." };

const SESSION: InputField = { name: "session", kind: "text", required: true, description: "Id of the FIX session." };

/** What the command line knows of each operation. */
export const OPERATION_FACTS: Readonly<Record<OperationName, OperationFacts>> = {
  getTradingStatus: {
    summary: "Kill switch state of a path",
    lane: "read",
    target: ["projectionPath"],
    input: [PROJECTION_PATH],
  },
  haltTrading: {
    summary: "Halt trading system-wide or at a path",
    lane: "stop",
    permission: "HALT_RESUME_TRADING",
    target: ["projectionPath"],
    input: [
      PROJECTION_PATH,
      { name: "reason", kind: "text", default: "Trading halted", description: "Reason, recorded in the audit log." },
      {
        name: "cancelOrders",
        kind: "boolean",
        description: "Request the cancellation of all working orders; honored only for a system-wide halt.",
      },
    ],
  },
  resumeTrading: {
    summary: "Resume trading system-wide or at a path",
    lane: "change",
    permission: "HALT_RESUME_TRADING",
    target: ["projectionPath"],
    input: [
      PROJECTION_PATH,
      { name: "reason", kind: "text", default: "Trading resumed", description: "Reason, recorded in the audit log." },
    ],
  },
  getRiskTable: {
    summary: "Risk table of a projection",
    lane: "read",
    target: ["projection"],
    input: [
      {
        name: "projection",
        kind: "text",
        description:
          "Projection: projection keys joined by `/`. Empty means the root level. Keys: Source, Destination, Account, Trader, TraderGroup, Exchange, UserData, Symbol, RootSymbol, Currency, ModuleKey, PortfolioKey.",
      },
    ],
  },
  updateRiskTable: {
    summary: "Apply commands to a risk table, all or none",
    lane: "change",
    permission: "CHANGE_RISK_LIMITS",
    target: ["projection"],
    input: [PROJECTION, { name: "commands", kind: "json", required: true }],
  },
  listPositions: {
    summary: "Positions of a projection",
    lane: "read",
    target: ["projection"],
    input: [
      PROJECTION,
      { name: "source", kind: "text" },
      { name: "destination", kind: "text" },
      { name: "account", kind: "text" },
      { name: "traderId", kind: "text" },
      { name: "traderGroup", kind: "text" },
      { name: "exchange", kind: "text" },
      { name: "userData", kind: "text" },
      { name: "symbol", kind: "text", description: "Also matches Currency and RootSymbol projections." },
      { name: "moduleKey", kind: "text" },
      { name: "portfolioKey", kind: "text" },
    ],
  },
  adjustPosition: {
    summary: "Set or change the position of a node",
    lane: "change",
    permission: "POSITION_ADJUSTMENT",
    target: ["projectionPath"],
    input: [
      {
        name: "projectionPath",
        kind: "text",
        required: true,
        description:
          "Projection path: `Key[value]` segments joined by `/`. Empty means system-wide. Keys: Source, Destination, Account, Trader, TraderGroup, Exchange, UserData, Symbol, RootSymbol, Currency, ModuleKey, PortfolioKey.",
      },
      {
        name: "size",
        kind: "decimal",
        required: true,
        description: "New size, or the change when `relative` is true.",
      },
      { name: "relative", kind: "boolean", description: "true adds to the current value, false replaces it." },
      {
        name: "averageCost",
        kind: "decimal",
        description: 'A decimal number as text, or "NaN": stop tracking the value.',
      },
      {
        name: "realizedPnL",
        kind: "decimal",
        description: 'A decimal number as text, or "NaN": stop tracking the value.',
      },
    ],
  },
  listServices: { summary: "All services", lane: "read", target: [], input: [] },
  getService: { summary: "One service", lane: "read", target: ["name"], input: [NAME] },
  disableService: {
    summary: "Stop a service from accepting orders",
    lane: "stop",
    permission: "ENABLE_DISABLE_SERVICE",
    target: ["name"],
    input: [
      NAME,
      { name: "reason", kind: "text", default: "Service disabled", description: "Reason, recorded in the audit log." },
    ],
  },
  enableService: {
    summary: "Let a service accept orders again",
    lane: "change",
    permission: "ENABLE_DISABLE_SERVICE",
    target: ["name"],
    input: [
      NAME,
      { name: "reason", kind: "text", default: "Service enabled", description: "Reason, recorded in the audit log." },
    ],
  },
  listFixGateways: { summary: "All FIX gateways", lane: "read", target: [], input: [] },
  getFixGateway: { summary: "One FIX gateway", lane: "read", target: ["gateway"], input: [GATEWAY] },
  listFixSessions: { summary: "All sessions of a FIX gateway", lane: "read", target: ["gateway"], input: [GATEWAY] },
  getFixSession: {
    summary: "One FIX session",
    lane: "read",
    target: ["gateway", "session"],
    input: [GATEWAY, SESSION],
  },
  disableFixSession: {
    summary: "Drop a FIX session's connection and refuse further logons",
    lane: "stop",
    permission: "CONTROL_FIX_SESSION",
    target: ["gateway", "session"],
    input: [GATEWAY, SESSION],
  },
  enableFixSession: {
    summary: "Let a disabled FIX session log on again",
    lane: "change",
    permission: "CONTROL_FIX_SESSION",
    target: ["gateway", "session"],
    input: [GATEWAY, SESSION],
  },
  disconnectFixSession: {
    summary: "Drop a FIX session's current connection",
    lane: "stop",
    permission: "CONTROL_FIX_SESSION",
    target: ["gateway", "session"],
    input: [GATEWAY, SESSION],
  },
};
