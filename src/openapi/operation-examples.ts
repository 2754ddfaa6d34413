import type { Input, OperationName, Output } from "../core/operations/table.ts";

/** One exchange with an engine that runs the sample installation. */
export interface OperationExample<K extends OperationName> {
  readonly summary: string;
  readonly input: Input<K>;
  readonly output: Output<K>;
}

type OperationExamples = { readonly [K in OperationName]: readonly [OperationExample<K>, ...OperationExample<K>[]] };

const LOGON = 1_767_605_400_000;

const gateway = { gatewayName: "OE1", gatewayType: "OrderEntry", updateTimestamp: LOGON } as const;

const session = {
  gatewayName: "OE1",
  sessionId: "FIXCLIENT1",
  status: "Connected",
  localPort: 9001,
  remoteIp: "10.30.1.21",
  remotePort: 59806,
  inboundSequence: 2,
  outboundSequence: 2,
} as const;

const sessionDetail = {
  ...session,
  gatewayType: "OrderEntry",
  senderId: "ENGINE",
  targetId: "FIXCLIENT1",
  localIp: "10.20.0.11",
  connectTimestamp: LOGON,
  disconnectTimestamp: null,
  messagesSent: 1,
  messagesReceived: 1,
  bytesSent: 96,
  bytesReceived: 128,
} as const;

const unconnected = {
  ...sessionDetail,
  localPort: null,
  remoteIp: null,
  remotePort: null,
  localIp: null,
  disconnectTimestamp: LOGON + 60_000,
  messagesSent: 2,
  bytesSent: 192,
  inboundSequence: 1,
  outboundSequence: 1,
} as const;

const connector = {
  name: "NASDAQ1",
  type: "Connector",
  system: false,
  dma: true,
  enabled: true,
  status: "Connected",
} as const;

const algorithm = { name: "TWAP", type: "Algorithm", system: false, dma: false, enabled: true, status: null } as const;

const riskRow = {
  conditions: { Account: "*", Symbol: "EUR/USD" },
  limits: { MaxOrderSize: "500000", MaxPositionLong: "2000000", MaxPositionShort: null },
};

const node = "Source[FIXCLIENT1]/Account[GOLD]";
const sessionOf = { gateway: "OE1", session: "FIXCLIENT1" };

/** Examples of every operation: requests that the sample installation accepts, with answers of its kind. */
export const OPERATION_EXAMPLES: OperationExamples = {
  getTradingStatus: [
    {
      summary: "A node is halted",
      input: { projectionPath: node },
      output: { projectionPath: node, halted: true, reason: "Price feed is stale" },
    },
    {
      summary: "Nothing was ever halted system-wide",
      input: {},
      output: { projectionPath: "", halted: false, reason: null },
    },
  ],
  haltTrading: [
    {
      summary: "Halt everything and cancel the working orders",
      input: { reason: "Price feed is stale", cancelOrders: true },
      output: null,
    },
    {
      summary: "Halt a node",
      input: { projectionPath: node, reason: "Client asked for it" },
      output: null,
    },
  ],
  resumeTrading: [{ summary: "Resume system-wide", input: { reason: "Price feed is back" }, output: null }],
  getRiskTable: [
    {
      summary: "The table of a projection",
      input: { projection: "Account/Symbol" },
      output: { projection: "Account/Symbol", rows: [riskRow] },
    },
  ],
  updateRiskTable: [
    {
      summary: "Change a row, and take the limit for short positions off",
      input: {
        projection: "Account/Symbol",
        commands: [
          {
            type: "UPDATE",
            conditions: riskRow.conditions,
            limits: { MaxOrderSize: "500000", MaxPositionShort: null },
          },
        ],
      },
      output: { projection: "Account/Symbol", rows: [riskRow] },
    },
    {
      summary: "Delete one row and insert another",
      input: {
        projection: "Account/Symbol",
        commands: [
          { type: "DELETE", conditions: { Account: "PENSION", Symbol: "AAPL" } },
          { type: "INSERT", conditions: { Account: "HEDGE1", Symbol: "*" }, limits: { MaxOrderSize: "100" } },
        ],
      },
      output: {
        projection: "Account/Symbol",
        rows: [
          riskRow,
          {
            conditions: { Account: "HEDGE1", Symbol: "*" },
            limits: { MaxOrderSize: "100", MaxPositionLong: null, MaxPositionShort: null },
          },
        ],
      },
    },
  ],
  listPositions: [
    {
      summary: "Positions of one account by symbol",
      input: { projection: "Account/Symbol", account: "GOLD" },
      output: [
        {
          projection: "Account[GOLD]/Symbol[EUR/USD]",
          account: "GOLD",
          symbol: "EUR/USD",
          size: "-250000",
          averageCost: "1.08505",
          realizedPnL: "1250.5",
          unrealizedPnL: "-37.5",
          marketValue: "-271300",
          totalCommission: "13.56",
          openBuySize: "100000",
          openSellSize: "0",
        },
      ],
    },
  ],
  adjustPosition: [
    {
      summary: "Set size and average cost",
      input: { projectionPath: "Account[GOLD]/Symbol[AAPL]", size: "500", averageCost: "190.25" },
      output: null,
    },
    {
      summary: "Take 100 off and stop tracking the average cost",
      input: {
        projectionPath: "Account[GOLD]/Symbol[AAPL]",
        size: "-100",
        relative: true,
        averageCost: "NaN",
      },
      output: null,
    },
  ],
  listServices: [{ summary: "A connector and an algorithm", input: {}, output: [connector, algorithm] }],
  getService: [
    { summary: "An algorithm has no connection status", input: { name: "TWAP" }, output: algorithm },
    { summary: "A connector", input: { name: "NASDAQ1" }, output: connector },
  ],
  disableService: [
    { summary: "With a reason", input: { name: "TWAP", reason: "Runs away from its schedule" }, output: null },
  ],
  enableService: [{ summary: "With a reason", input: { name: "TWAP", reason: "Fixed and tested" }, output: null }],
  listFixGateways: [{ summary: "One gateway", input: {}, output: [gateway] }],
  getFixGateway: [
    {
      summary: "A gateway for order entry",
      input: { gateway: "OE1" },
      output: {
        ...gateway,
        sessions: 4,
        acceptedConnections: 2,
        rejectedConnections: 0,
        messagesSent: 2,
        messagesReceived: 2,
        bytesSent: 192,
        bytesReceived: 256,
      },
    },
  ],
  listFixSessions: [{ summary: "One session", input: { gateway: "OE1" }, output: [session] }],
  getFixSession: [{ summary: "A connected session", input: sessionOf, output: sessionDetail }],
  disableFixSession: [
    { summary: "The session is disabled", input: sessionOf, output: { ...unconnected, status: "Disabled" } },
  ],
  enableFixSession: [
    { summary: "The session may log on again", input: sessionOf, output: { ...unconnected, status: "Disconnected" } },
  ],
  disconnectFixSession: [
    { summary: "The connection is dropped", input: sessionOf, output: { ...unconnected, status: "Disconnected" } },
  ],
};
