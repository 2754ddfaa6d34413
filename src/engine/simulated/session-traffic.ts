import type { FixDesk } from "./fix-desk.ts";
import type { Random } from "./random.ts";
import { forEachInSteps, type Steps } from "./steps.ts";

const SESSIONS_AT_A_TIME = 250;
/** Messages that a gateway of each type sends to a session within one tick, at most. */
const MAX_SENT = { MarketData: 20, OrderEntry: 3, RFQ: 5, TradeConnector: 3 } as const;
const MAX_RECEIVED = 3;
const SMALLEST_MESSAGE = 80;
const LARGEST_MESSAGE = 400;
/** Chances of a session within one tick. */
const CONNECTION_LOSS_ONE_IN = 400;
const LOGON_ONE_IN = 20;

/** What the peers of all FIX sessions do: messages, lost connections, new logons. */
export class SessionTraffic {
  readonly #fix: FixDesk;
  readonly #random: Random;

  constructor(fix: FixDesk, random: Random) {
    this.#fix = fix;
    this.#random = random;
  }

  *tick(): Steps {
    for (const { gatewayName: gateway, gatewayType } of this.#fix.listGateways()) {
      yield* forEachInSteps(this.#fix.listSessions(gateway), SESSIONS_AT_A_TIME, ({ sessionId: session, status }) => {
        if (status === "Connected") this.#converse({ gateway, session }, MAX_SENT[gatewayType]);
        else if (this.#random.oneIn(LOGON_ONE_IN)) this.#fix.logon({ gateway, session });
      });
    }
  }

  #converse(name: { gateway: string; session: string }, maxSent: number): void {
    const random = this.#random;
    if (random.oneIn(CONNECTION_LOSS_ONE_IN)) {
      this.#fix.disconnect(name);
      return;
    }
    const messagesSent = random.integer(0, maxSent);
    const messagesReceived = random.integer(0, MAX_RECEIVED);
    if (messagesSent + messagesReceived === 0) return;
    this.#fix.exchange(name, {
      messagesSent,
      messagesReceived,
      bytesSent: messagesSent * random.integer(SMALLEST_MESSAGE, LARGEST_MESSAGE),
      bytesReceived: messagesReceived * random.integer(SMALLEST_MESSAGE, LARGEST_MESSAGE),
    });
  }
}
