/** Time at which the clock of a world starts: 2026-01-05 09:30 UTC. */
export const START = 1_767_605_400_000;

/** FIXCLIENT1 of OE1 in list form, its peer's port aside. */
export const LIST_FORM = {
  gatewayName: "OE1",
  sessionId: "FIXCLIENT1",
  status: "Connected",
  localPort: 9001,
  remoteIp: "10.30.1.21",
  inboundSequence: 2,
  outboundSequence: 2,
};

/** FIXCLIENT1 of OE1 in detail form, its peer's port aside. */
export const DETAIL_FORM = {
  ...LIST_FORM,
  gatewayType: "OrderEntry",
  senderId: "ENGINE",
  targetId: "FIXCLIENT1",
  localIp: "10.20.0.11",
  connectTimestamp: START,
  disconnectTimestamp: null,
  messagesSent: 1,
  messagesReceived: 1,
  bytesSent: 96,
  bytesReceived: 128,
};

/** What a session without a connection has in place of addresses. */
export const NO_CONNECTION = { localIp: null, localPort: null, remoteIp: null, remotePort: null };

/** Gateway OE1 in detail form: four sessions, two of which are connected. */
export const GATEWAY = {
  gatewayName: "OE1",
  gatewayType: "OrderEntry",
  updateTimestamp: START,
  sessions: 4,
  acceptedConnections: 2,
  rejectedConnections: 0,
  messagesSent: 2,
  messagesReceived: 2,
  bytesSent: 192,
  bytesReceived: 256,
};

/** FIXCLIENT1 of OE1, as operations name it. */
export const SESSION = { gateway: "OE1", session: "FIXCLIENT1" };
