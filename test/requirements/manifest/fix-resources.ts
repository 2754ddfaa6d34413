import { assemble, under } from "./requirement.ts";

const gateway = under("FIX gateway", {
  "FIX-GATEWAY-LIST-FORM": {
    source: ["List form:"],
    behavior: "a gateway in a list has the three fields of the list form and no other",
  },
  "FIX-GATEWAY-NAME": {
    source: ["| gatewayName | string | |"],
    behavior: "gatewayName is the name that the gateway is asked for by",
  },
  "FIX-GATEWAY-TYPE": {
    source: ["| gatewayType | enum `MarketData`, `OrderEntry`, `RFQ`, `TradeConnector` | |"],
    behavior: "gatewayType is one of the four kinds, and each of them occurs",
  },
  "FIX-GATEWAY-UPDATED": {
    source: ["| updateTimestamp | long | Epoch milliseconds of last update |"],
    behavior: "updateTimestamp is the time of the last change in epoch milliseconds",
  },
  "FIX-GATEWAY-DETAIL-FORM": {
    source: ["Detail form adds:"],
    behavior: "one gateway has the fields of the list form, those of the detail form and no other",
  },
  "FIX-GATEWAY-SESSIONS": {
    source: ["| sessions | long (number of sessions) |"],
    behavior: "sessions is the number of the gateway's sessions",
  },
  "FIX-GATEWAY-CONNECTIONS": {
    source: ["| acceptedConnections, rejectedConnections | long |"],
    behavior: "accepted and rejected connections are counted",
  },
  "FIX-GATEWAY-MESSAGES": {
    source: ["| messagesSent, messagesReceived | long |"],
    behavior: "messages of all sessions are counted, both ways",
  },
  "FIX-GATEWAY-BYTES": {
    source: ["| bytesSent, bytesReceived | long |"],
    behavior: "bytes of all sessions are counted, both ways",
  },
});

const session = under("FIX session", {
  "FIX-SESSION-LIST-FORM": {
    source: ["List form:"],
    behavior: "a session in a list has the eight fields of the list form and no other",
  },
  "FIX-SESSION-GATEWAY": {
    source: ["| gatewayName | string | |"],
    behavior: "gatewayName is the gateway that the session belongs to",
  },
  "FIX-SESSION-ID": {
    source: ["| sessionId | string | |"],
    behavior: "sessionId is the id that the session is asked for by",
  },
  "FIX-SESSION-STATUS": {
    source: ["| status | enum `Connected`, `Disconnected`, `Disabled` | |"],
    behavior: "status is one of the three, and each of them occurs",
  },
  "FIX-SESSION-LOCAL-PORT": {
    source: ["| localPort | long | |"],
    behavior: "localPort is the engine's port of the connection",
  },
  "FIX-SESSION-REMOTE-IP": {
    source: ["| remoteIp | string | Remote IP address |"],
    behavior: "remoteIp is the address of the peer",
  },
  "FIX-SESSION-REMOTE-PORT": {
    source: ["| remotePort | long | |"],
    behavior: "remotePort is the port of the peer",
  },
  "FIX-SESSION-INBOUND": {
    source: ["| inboundSequence | long | Next expected inbound sequence number |"],
    behavior: "inboundSequence is the number of the next message that is expected",
  },
  "FIX-SESSION-OUTBOUND": {
    source: ["| outboundSequence | long | Next outbound sequence number |"],
    behavior: "outboundSequence is the number of the next message that is sent",
  },
  "FIX-SESSION-DETAIL-FORM": {
    source: ["Detail form adds:"],
    behavior: "one session has the fields of the list form, those of the detail form and no other",
  },
  "FIX-SESSION-TYPE": {
    source: ["| gatewayType | enum | Type of the gateway (same values as above) |"],
    behavior: "gatewayType is the type of the session's gateway",
  },
  "FIX-SESSION-COMP-IDS": {
    source: ["| senderId, targetId | string | FIX SenderCompID and TargetCompID |"],
    behavior: "senderId and targetId are the two CompIDs of the session",
  },
  "FIX-SESSION-LOCAL-IP": {
    source: ["| localIp | string | |"],
    behavior: "localIp is the engine's address of the connection",
  },
  "FIX-SESSION-TIMES": {
    source: ["| connectTimestamp, disconnectTimestamp | long | Epoch milliseconds |"],
    behavior: "the last connect and disconnect are told in epoch milliseconds",
  },
  "FIX-SESSION-MESSAGES": {
    source: ["| messagesSent, messagesReceived | long | |"],
    behavior: "messages of the session are counted, both ways",
  },
  "FIX-SESSION-BYTES": {
    source: ["| bytesSent, bytesReceived | long | |"],
    behavior: "bytes of the session are counted, both ways",
  },
});

/** FIX gateways and sessions and their fields. */
export const fixResources = assemble(gateway, session);
