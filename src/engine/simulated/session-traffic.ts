import type { FixDesk } from "./fix-gateway.ts";
import type { Random } from "./random.ts";

/** Messages that a gateway of each type sends to a session within one tick, at most. */
const MAX_SENT = { MarketData: 20, OrderEntry: 3, RFQ: 5, TradeConnector: 3 } as const;
const MAX_RECEIVED = 3;
const SMALLEST_MESSAGE = 80;
const LARGEST_MESSAGE = 400;
/** Chances of a session within one tick. */
const CONNECTION_LOSS_ONE_IN = 400;
const LOGON_ONE_IN = 4;

/** What the simulated peers of FIX sessions do within one tick: messages, lost connections, new logons. */
export function sessionTraffic(fix: FixDesk, random: Random): void {
  for (const gateway of fix.all) {
    for (const { sessionId, status } of gateway.sessions()) {
      if (gateway.isOfClient(sessionId)) continue;
      if (status === "Connected") converse(gateway, sessionId, random);
      else if (random.oneIn(LOGON_ONE_IN)) gateway.logon(sessionId);
    }
  }
}

function converse(gateway: FixDesk["all"][number], id: string, random: Random): void {
  if (random.oneIn(CONNECTION_LOSS_ONE_IN)) {
    void gateway.disconnect(id);
    return;
  }
  const messagesSent = random.integer(0, MAX_SENT[gateway.type]);
  const messagesReceived = random.integer(0, MAX_RECEIVED);
  if (messagesSent + messagesReceived === 0) return;
  gateway.exchange(id, {
    messagesSent,
    messagesReceived,
    bytesSent: messagesSent * random.integer(SMALLEST_MESSAGE, LARGEST_MESSAGE),
    bytesReceived: messagesReceived * random.integer(SMALLEST_MESSAGE, LARGEST_MESSAGE),
  });
}
