import { z } from "zod";
import { once } from "../values/basics.ts";
import { long } from "../values/decimal.ts";
import { CONFIRMATIONS } from "./confirmations.ts";
import { text } from "./fields.ts";
import { operation, READ } from "./operation.ts";

export const gatewayType = once(() =>
  z.enum(["MarketData", "OrderEntry", "RFQ", "TradeConnector"]).meta({ id: "GatewayType" }),
);

/** A number that the engine may not know (decision D-VAL 7). */
const counter = once(() => long().nullable().meta({ description: "Null if unknown." }));

/** List form of a FIX gateway (specification, "FIX gateway"). */
export const fixGateway = once(() =>
  z
    .object({
      gatewayName: z.string(),
      gatewayType: gatewayType(),
      updateTimestamp: long()
        .nullable()
        .meta({ description: "Epoch milliseconds of the last update; null if unknown." }),
    })
    .meta({ id: "FixGateway" }),
);

export const fixGatewayDetail = once(() =>
  fixGateway()
    .extend({
      sessions: long().nullable().meta({ description: "Number of sessions; null if unknown." }),
      acceptedConnections: counter(),
      rejectedConnections: counter(),
      messagesSent: counter(),
      messagesReceived: counter(),
      bytesSent: counter(),
      bytesReceived: counter(),
    })
    .meta({ id: "FixGatewayDetail" }),
);

const sessionStatus = once(() => z.enum(["Connected", "Disconnected", "Disabled"]).meta({ id: "FixSessionStatus" }));

/** List form of a FIX session (specification, "FIX session"); `null` where a session has no connection. */
export const fixSession = once(() =>
  z
    .object({
      gatewayName: z.string(),
      sessionId: z.string(),
      status: sessionStatus(),
      localPort: long().nullable(),
      remoteIp: z.string().nullable().meta({ description: "Remote IP address; null without a connection." }),
      remotePort: long().nullable(),
      inboundSequence: long()
        .nullable()
        .meta({ description: "Next expected inbound sequence number; null if unknown." }),
      outboundSequence: long().nullable().meta({ description: "Next outbound sequence number; null if unknown." }),
    })
    .meta({ id: "FixSession" }),
);

export const fixSessionDetail = once(() =>
  fixSession()
    .extend({
      gatewayType: gatewayType(),
      senderId: z.string().meta({ description: "SenderCompID (49)." }),
      targetId: z.string().meta({ description: "TargetCompID (56)." }),
      localIp: z.string().nullable(),
      connectTimestamp: long()
        .nullable()
        .meta({ description: "Epoch milliseconds; null before the first connection." }),
      disconnectTimestamp: long().nullable().meta({ description: "Epoch milliseconds; null before the first loss." }),
      messagesSent: counter(),
      messagesReceived: counter(),
      bytesSent: counter(),
      bytesReceived: counter(),
    })
    .meta({ id: "FixSessionDetail" }),
);

const gateway = once(() => text().meta({ description: "Name of the FIX gateway." }));
const session = once(() => text().meta({ description: "Id of the FIX session." }));

const read = { ...READ, tag: "FIX" } as const;
const control = { method: "POST", permission: "CONTROL_FIX_SESSION", tag: "FIX" } as const;

/** What the operations of one session share. */
const ofSession = {
  input: once(() => z.strictObject({ gateway: gateway(), session: session() })),
  output: fixSessionDetail,
  target: ["gateway", "session"],
  names: { gateway: "gatewayName", session: "sessionId" },
} as const;

const LOGON = 1_767_605_400_000;

const oe1 = { gatewayName: "OE1", gatewayType: "OrderEntry", updateTimestamp: LOGON } as const;

const connected = {
  gatewayName: "OE1",
  sessionId: "FIXCLIENT1",
  status: "Connected",
  localPort: 9001,
  remoteIp: "10.30.1.21",
  remotePort: 59806,
  inboundSequence: 2,
  outboundSequence: 2,
} as const;

const connectedDetail = {
  ...connected,
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
  ...connectedDetail,
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

const client1 = { gateway: "OE1", session: "FIXCLIENT1" };

const READ_BACK = "Returns the state of the session after the command, read back from the engine.";
const ORDERS_STAY = "Working orders of the session stay in the market.";
const RESULT_READ_BACK = "The state read back from the session after the command, never an echo of what was asked.";

export const fixOperations = {
  listFixGateways: operation({
    ...read,
    path: "/fix/gateways",
    summary: "All FIX gateways",
    description: "The gateways in their short form.",
    input: () => z.strictObject({}),
    output: () => z.array(fixGateway()),
    target: [],
    examples: [{ summary: "One gateway", input: {}, output: [oe1] }],
  }),
  getFixGateway: operation({
    ...read,
    path: "/fix/gateways/{gateway}",
    summary: "One FIX gateway",
    description: "The gateway with its counters.",
    input: () => z.strictObject({ gateway: gateway() }),
    output: fixGatewayDetail,
    target: ["gateway"],
    names: { gateway: "gatewayName" },
    examples: [
      {
        summary: "A gateway for order entry",
        input: { gateway: "OE1" },
        output: {
          ...oe1,
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
  }),
  listFixSessions: operation({
    ...read,
    path: "/fix/gateways/{gateway}/sessions",
    summary: "All sessions of a FIX gateway",
    description: "The sessions in their short form.",
    input: () => z.strictObject({ gateway: gateway() }),
    output: () => z.array(fixSession()),
    target: ["gateway"],
    names: { gateway: "gatewayName" },
    examples: [{ summary: "One session", input: { gateway: "OE1" }, output: [connected] }],
  }),
  getFixSession: operation({
    ...read,
    ...ofSession,
    path: "/fix/gateways/{gateway}/sessions/{session}",
    summary: "One FIX session",
    description: "The session with its addresses, times and counters.",
    examples: [{ summary: "A connected session", input: client1, output: connectedDetail }],
  }),
  disableFixSession: operation({
    ...control,
    ...ofSession,
    path: "/fix/gateways/{gateway}/sessions/{session}/disable",
    lane: "stop",
    summary: "Drop a FIX session's connection and refuse further logons",
    description: `Takes no body. ${ORDERS_STAY} ${READ_BACK}`,
    engineNotes: `${RESULT_READ_BACK} ${ORDERS_STAY}`,
    confirmedBy: CONFIRMATIONS.disableFixSession,
    examples: [{ summary: "The session is disabled", input: client1, output: { ...unconnected, status: "Disabled" } }],
  }),
  enableFixSession: operation({
    ...control,
    ...ofSession,
    path: "/fix/gateways/{gateway}/sessions/{session}/enable",
    lane: "change",
    direction: "loosens",
    undoes: "disableFixSession",
    summary: "Let a disabled FIX session log on again",
    description: `Takes no body. ${READ_BACK}`,
    engineNotes: RESULT_READ_BACK,
    confirmedBy: CONFIRMATIONS.enableFixSession,
    examples: [
      { summary: "The session may log on again", input: client1, output: { ...unconnected, status: "Disconnected" } },
    ],
  }),
  disconnectFixSession: operation({
    ...control,
    ...ofSession,
    path: "/fix/gateways/{gateway}/sessions/{session}/disconnect",
    lane: "stop",
    summary: "Drop a FIX session's current connection",
    description: `Takes no body. The session may log on again. ${ORDERS_STAY} ${READ_BACK}`,
    engineNotes: `${RESULT_READ_BACK} ${ORDERS_STAY}`,
    // The counterparty may connect again immediately; only the time of the connection distinguishes the new one from the old.
    confirmedBy: CONFIRMATIONS.disconnectFixSession,
    examples: [
      { summary: "The connection is dropped", input: client1, output: { ...unconnected, status: "Disconnected" } },
    ],
  }),
};
