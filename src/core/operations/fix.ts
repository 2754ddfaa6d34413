import { z } from "zod";
import { long } from "../values/decimal.ts";
import { text } from "./fields.ts";
import { operation } from "./operation.ts";

/** Kinds of FIX gateway. */
export const gatewayType = z.enum(["MarketData", "OrderEntry", "RFQ", "TradeConnector"]).meta({ id: "GatewayType" });

/** List form of a FIX gateway (specification, "FIX gateway"). */
export const fixGateway = z
  .object({
    gatewayName: z.string(),
    gatewayType,
    updateTimestamp: long.meta({ description: "Epoch milliseconds of the last update." }),
  })
  .meta({ id: "FixGateway" });

/** Detail form of a FIX gateway. */
export const fixGatewayDetail = fixGateway
  .extend({
    sessions: long.meta({ description: "Number of sessions." }),
    acceptedConnections: long,
    rejectedConnections: long,
    messagesSent: long,
    messagesReceived: long,
    bytesSent: long,
    bytesReceived: long,
  })
  .meta({ id: "FixGatewayDetail" });

const sessionStatus = z.enum(["Connected", "Disconnected", "Disabled"]).meta({ id: "FixSessionStatus" });

/** List form of a FIX session (specification, "FIX session"); `null` where a session has no connection. */
export const fixSession = z
  .object({
    gatewayName: z.string(),
    sessionId: z.string(),
    status: sessionStatus,
    localPort: long.nullable(),
    remoteIp: z.string().nullable().meta({ description: "Remote IP address; null without a connection." }),
    remotePort: long.nullable(),
    inboundSequence: long.meta({ description: "Next expected inbound sequence number." }),
    outboundSequence: long.meta({ description: "Next outbound sequence number." }),
  })
  .meta({ id: "FixSession" });

/** Detail form of a FIX session. */
export const fixSessionDetail = fixSession
  .extend({
    gatewayType,
    senderId: z.string().meta({ description: "SenderCompID (49)." }),
    targetId: z.string().meta({ description: "TargetCompID (56)." }),
    localIp: z.string().nullable(),
    connectTimestamp: long.nullable().meta({ description: "Epoch milliseconds; null before the first connection." }),
    disconnectTimestamp: long.nullable().meta({ description: "Epoch milliseconds; null before the first loss." }),
    messagesSent: long,
    messagesReceived: long,
    bytesSent: long,
    bytesReceived: long,
  })
  .meta({ id: "FixSessionDetail" });

const gateway = text.meta({ description: "Name of the FIX gateway." });
const session = text.meta({ description: "Id of the FIX session." });

const read = { method: "GET", permission: null, lane: "read", tag: "FIX", in: "query" } as const;
const control = { method: "POST", permission: "CONTROL_FIX_SESSION", tag: "FIX", in: "body" } as const;
const sessionInput = z.strictObject({ gateway, session });

/** FIX gateway and session operations. */
export const fixOperations = {
  listFixGateways: operation({
    ...read,
    path: "/fix/gateways",
    summary: "All FIX gateways",
    input: z.strictObject({}),
    output: z.array(fixGateway),
    target: [],
  }),
  getFixGateway: operation({
    ...read,
    path: "/fix/gateways/{gateway}",
    summary: "One FIX gateway",
    input: z.strictObject({ gateway }),
    output: fixGatewayDetail,
    target: ["gateway"],
  }),
  listFixSessions: operation({
    ...read,
    path: "/fix/gateways/{gateway}/sessions",
    summary: "All sessions of a FIX gateway",
    input: z.strictObject({ gateway }),
    output: z.array(fixSession),
    target: ["gateway"],
  }),
  getFixSession: operation({
    ...read,
    path: "/fix/gateways/{gateway}/sessions/{session}",
    summary: "One FIX session",
    input: sessionInput,
    output: fixSessionDetail,
    target: ["gateway", "session"],
  }),
  disableFixSession: operation({
    ...control,
    path: "/fix/gateways/{gateway}/sessions/{session}/disable",
    lane: "stop",
    summary: "Drop a FIX session's connection and refuse further logons",
    input: sessionInput,
    output: fixSessionDetail,
    target: ["gateway", "session"],
  }),
  enableFixSession: operation({
    ...control,
    path: "/fix/gateways/{gateway}/sessions/{session}/enable",
    lane: "change",
    direction: "loosens",
    summary: "Let a disabled FIX session log on again",
    input: sessionInput,
    output: fixSessionDetail,
    target: ["gateway", "session"],
  }),
  disconnectFixSession: operation({
    ...control,
    path: "/fix/gateways/{gateway}/sessions/{session}/disconnect",
    lane: "stop",
    summary: "Drop a FIX session's current connection",
    input: sessionInput,
    output: fixSessionDetail,
    target: ["gateway", "session"],
  }),
};
