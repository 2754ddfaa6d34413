// Generated from src/core/operations/table.ts by "npm run docs"; do not edit.
// A table of its own, because that one loads zod: a halt would start later.
import type { Direction, Lane } from "../../core/operations/operation.ts";
import type { Permission } from "../../core/operations/permission.ts";
import type { OperationName } from "../../core/operations/table.ts";

/** How a value is typed and printed; `time` is in epoch milliseconds, `json` a list or an object. */
export type FieldKind = "text" | "decimal" | "integer" | "time" | "boolean" | "json";

/** A field of an operation's input. */
export interface InputField {
  readonly name: string;
  readonly kind: FieldKind;
  readonly required: boolean;
  /** What the API takes where it is left out; null for nothing. */
  readonly default: string | boolean | null;
  readonly description: string;
}

/** What the command line knows of an operation. */
export interface OperationFacts {
  readonly summary: string;
  readonly permission: Permission | null;
  readonly lane: Lane;
  /** Null for a read, and where it depends on the input. */
  readonly direction: Direction | null;
  /** Fields that name what it acts on. */
  readonly target: readonly string[];
  readonly input: readonly InputField[];
  /** Kinds of the fields of its output, or of each element of it. */
  readonly output: Readonly<Record<string, FieldKind>>;
}

/** What the command line knows of each operation. */
export const OPERATION_FACTS: Readonly<Record<OperationName, OperationFacts>> = {
  getTradingStatus: {
    summary: "Kill switch state of a path",
    permission: null,
    lane: "read",
    direction: null,
    target: ["projectionPath"],
    input: [
      {
        name: "projectionPath",
        kind: "text",
        required: false,
        default: "",
        description:
          "Projection path: `Key[value]` segments joined by `/`. Empty means system-wide. Keys: Source, Destination, Account, Trader, TraderGroup, Exchange, UserData, Symbol, RootSymbol, Currency, ModuleKey, PortfolioKey.",
      },
    ],
    output: {
      projectionPath: "text",
      halted: "boolean",
      reason: "text",
    },
  },
  haltTrading: {
    summary: "Halt trading system-wide or at a path",
    permission: "HALT_RESUME_TRADING",
    lane: "stop",
    direction: "tightens",
    target: ["projectionPath"],
    input: [
      {
        name: "projectionPath",
        kind: "text",
        required: false,
        default: "",
        description:
          "Projection path: `Key[value]` segments joined by `/`. Empty means system-wide. Keys: Source, Destination, Account, Trader, TraderGroup, Exchange, UserData, Symbol, RootSymbol, Currency, ModuleKey, PortfolioKey.",
      },
      {
        name: "reason",
        kind: "text",
        required: false,
        default: "Trading halted",
        description: "Reason, recorded in the audit log.",
      },
      {
        name: "cancelOrders",
        kind: "boolean",
        required: false,
        default: false,
        description: "Cancel working orders; honored only for a system-wide halt.",
      },
    ],
    output: {},
  },
  resumeTrading: {
    summary: "Resume trading system-wide or at a path",
    permission: "HALT_RESUME_TRADING",
    lane: "change",
    direction: "loosens",
    target: ["projectionPath"],
    input: [
      {
        name: "projectionPath",
        kind: "text",
        required: false,
        default: "",
        description:
          "Projection path: `Key[value]` segments joined by `/`. Empty means system-wide. Keys: Source, Destination, Account, Trader, TraderGroup, Exchange, UserData, Symbol, RootSymbol, Currency, ModuleKey, PortfolioKey.",
      },
      {
        name: "reason",
        kind: "text",
        required: false,
        default: "Trading resumed",
        description: "Reason, recorded in the audit log.",
      },
    ],
    output: {},
  },
  getRiskTable: {
    summary: "Risk table of a projection",
    permission: null,
    lane: "read",
    direction: null,
    target: ["projection"],
    input: [
      {
        name: "projection",
        kind: "text",
        required: false,
        default: "",
        description:
          "Projection: projection keys joined by `/`. Empty means the root level. Keys: Source, Destination, Account, Trader, TraderGroup, Exchange, UserData, Symbol, RootSymbol, Currency, ModuleKey, PortfolioKey.",
      },
    ],
    output: {
      projection: "text",
      rows: "json",
    },
  },
  updateRiskTable: {
    summary: "Apply commands to a risk table, all or none",
    permission: "CHANGE_RISK_LIMITS",
    lane: "change",
    direction: null,
    target: ["projection"],
    input: [
      {
        name: "projection",
        kind: "text",
        required: true,
        default: null,
        description:
          "Projection: projection keys joined by `/`. Empty means the root level. Keys: Source, Destination, Account, Trader, TraderGroup, Exchange, UserData, Symbol, RootSymbol, Currency, ModuleKey, PortfolioKey.",
      },
      {
        name: "commands",
        kind: "json",
        required: true,
        default: null,
        description: "",
      },
    ],
    output: {
      projection: "text",
      rows: "json",
    },
  },
  listPositions: {
    summary: "Positions of a projection",
    permission: null,
    lane: "read",
    direction: null,
    target: ["projection"],
    input: [
      {
        name: "projection",
        kind: "text",
        required: true,
        default: null,
        description:
          "Projection: projection keys joined by `/`. Empty means the root level. Keys: Source, Destination, Account, Trader, TraderGroup, Exchange, UserData, Symbol, RootSymbol, Currency, ModuleKey, PortfolioKey.",
      },
      {
        name: "source",
        kind: "text",
        required: false,
        default: null,
        description: "",
      },
      {
        name: "destination",
        kind: "text",
        required: false,
        default: null,
        description: "",
      },
      {
        name: "account",
        kind: "text",
        required: false,
        default: null,
        description: "",
      },
      {
        name: "traderId",
        kind: "text",
        required: false,
        default: null,
        description: "",
      },
      {
        name: "traderGroup",
        kind: "text",
        required: false,
        default: null,
        description: "",
      },
      {
        name: "exchange",
        kind: "text",
        required: false,
        default: null,
        description: "",
      },
      {
        name: "userData",
        kind: "text",
        required: false,
        default: null,
        description: "",
      },
      {
        name: "symbol",
        kind: "text",
        required: false,
        default: null,
        description: "Also matches Currency and RootSymbol projections.",
      },
      {
        name: "moduleKey",
        kind: "text",
        required: false,
        default: null,
        description: "",
      },
      {
        name: "portfolioKey",
        kind: "text",
        required: false,
        default: null,
        description: "",
      },
    ],
    output: {
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
  },
  adjustPosition: {
    summary: "Set or change the position of a node",
    permission: "POSITION_ADJUSTMENT",
    lane: "change",
    direction: "neutral",
    target: ["projectionPath"],
    input: [
      {
        name: "projectionPath",
        kind: "text",
        required: true,
        default: null,
        description:
          "Projection path: `Key[value]` segments joined by `/`. Empty means system-wide. Keys: Source, Destination, Account, Trader, TraderGroup, Exchange, UserData, Symbol, RootSymbol, Currency, ModuleKey, PortfolioKey.",
      },
      {
        name: "size",
        kind: "decimal",
        required: true,
        default: null,
        description: "New size, or the change when `relative` is true.",
      },
      {
        name: "relative",
        kind: "boolean",
        required: false,
        default: false,
        description: "true adds to the current value, false replaces it.",
      },
      {
        name: "averageCost",
        kind: "decimal",
        required: false,
        default: null,
        description: 'A decimal number as text, or "NaN": stop tracking the value.',
      },
      {
        name: "realizedPnL",
        kind: "decimal",
        required: false,
        default: null,
        description: 'A decimal number as text, or "NaN": stop tracking the value.',
      },
    ],
    output: {},
  },
  listServices: {
    summary: "All services",
    permission: null,
    lane: "read",
    direction: null,
    target: [],
    input: [],
    output: {
      name: "text",
      type: "text",
      system: "boolean",
      dma: "boolean",
      enabled: "boolean",
      status: "text",
    },
  },
  getService: {
    summary: "One service",
    permission: null,
    lane: "read",
    direction: null,
    target: ["name"],
    input: [
      {
        name: "name",
        kind: "text",
        required: true,
        default: null,
        description: "Name of the service.",
      },
    ],
    output: {
      name: "text",
      type: "text",
      system: "boolean",
      dma: "boolean",
      enabled: "boolean",
      status: "text",
    },
  },
  disableService: {
    summary: "Stop a service from accepting orders",
    permission: "ENABLE_DISABLE_SERVICE",
    lane: "stop",
    direction: "tightens",
    target: ["name"],
    input: [
      {
        name: "name",
        kind: "text",
        required: true,
        default: null,
        description: "Name of the service.",
      },
      {
        name: "reason",
        kind: "text",
        required: false,
        default: "Service disabled",
        description: "Reason, recorded in the audit log.",
      },
    ],
    output: {},
  },
  enableService: {
    summary: "Let a service accept orders again",
    permission: "ENABLE_DISABLE_SERVICE",
    lane: "change",
    direction: "loosens",
    target: ["name"],
    input: [
      {
        name: "name",
        kind: "text",
        required: true,
        default: null,
        description: "Name of the service.",
      },
      {
        name: "reason",
        kind: "text",
        required: false,
        default: "Service enabled",
        description: "Reason, recorded in the audit log.",
      },
    ],
    output: {},
  },
  listFixGateways: {
    summary: "All FIX gateways",
    permission: null,
    lane: "read",
    direction: null,
    target: [],
    input: [],
    output: {
      gatewayName: "text",
      gatewayType: "text",
      updateTimestamp: "time",
    },
  },
  getFixGateway: {
    summary: "One FIX gateway",
    permission: null,
    lane: "read",
    direction: null,
    target: ["gateway"],
    input: [
      {
        name: "gateway",
        kind: "text",
        required: true,
        default: null,
        description: "Name of the FIX gateway.",
      },
    ],
    output: {
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
  },
  listFixSessions: {
    summary: "All sessions of a FIX gateway",
    permission: null,
    lane: "read",
    direction: null,
    target: ["gateway"],
    input: [
      {
        name: "gateway",
        kind: "text",
        required: true,
        default: null,
        description: "Name of the FIX gateway.",
      },
    ],
    output: {
      gatewayName: "text",
      sessionId: "text",
      status: "text",
      localPort: "integer",
      remoteIp: "text",
      remotePort: "integer",
      inboundSequence: "integer",
      outboundSequence: "integer",
    },
  },
  getFixSession: {
    summary: "One FIX session",
    permission: null,
    lane: "read",
    direction: null,
    target: ["gateway", "session"],
    input: [
      {
        name: "gateway",
        kind: "text",
        required: true,
        default: null,
        description: "Name of the FIX gateway.",
      },
      {
        name: "session",
        kind: "text",
        required: true,
        default: null,
        description: "Id of the FIX session.",
      },
    ],
    output: {
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
    },
  },
  disableFixSession: {
    summary: "Drop a FIX session's connection and refuse further logons",
    permission: "CONTROL_FIX_SESSION",
    lane: "stop",
    direction: "tightens",
    target: ["gateway", "session"],
    input: [
      {
        name: "gateway",
        kind: "text",
        required: true,
        default: null,
        description: "Name of the FIX gateway.",
      },
      {
        name: "session",
        kind: "text",
        required: true,
        default: null,
        description: "Id of the FIX session.",
      },
    ],
    output: {
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
    },
  },
  enableFixSession: {
    summary: "Let a disabled FIX session log on again",
    permission: "CONTROL_FIX_SESSION",
    lane: "change",
    direction: "loosens",
    target: ["gateway", "session"],
    input: [
      {
        name: "gateway",
        kind: "text",
        required: true,
        default: null,
        description: "Name of the FIX gateway.",
      },
      {
        name: "session",
        kind: "text",
        required: true,
        default: null,
        description: "Id of the FIX session.",
      },
    ],
    output: {
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
    },
  },
  disconnectFixSession: {
    summary: "Drop a FIX session's current connection",
    permission: "CONTROL_FIX_SESSION",
    lane: "stop",
    direction: "tightens",
    target: ["gateway", "session"],
    input: [
      {
        name: "gateway",
        kind: "text",
        required: true,
        default: null,
        description: "Name of the FIX gateway.",
      },
      {
        name: "session",
        kind: "text",
        required: true,
        default: null,
        description: "Id of the FIX session.",
      },
    ],
    output: {
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
    },
  },
};
