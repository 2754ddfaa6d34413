import { randomUUID } from "node:crypto";
import type { Msg, NatsConnection } from "@nats-io/transport-node";
import { CONTRACT_NAME } from "../../../transports/json-rpc/contract.ts";
import type { LoginFailure, SharedLoginFailures } from "../../auth/throttle/login-delays.ts";
import { type Clock, monotonicMs } from "../../core/clock.ts";
import type { Logger } from "../../core/logger.ts";
import { jsonIn, messageOf } from "../../core/values/basics.ts";
import type { SharedNats } from "./shared-nats.ts";

const SUBJECT = `${CONTRACT_NAME}.failed-login`;

/** A message: `sender` is of one run of a gateway, whose name is for people who look at the subject. */
interface Message extends LoginFailure {
  readonly gateway: string;
  readonly sender: string;
}

const MAX_MESSAGE_BYTES = 1_024;
const HASH = /^[\w-]{43}$/;
const MAX_ORIGIN = 64;

/** Guesses that are heard in a second. No honest gateway checks so many passwords; any above that are dropped. */
const MAX_HEARD = 500;
const SECOND_MS = 1_000;

/**
 * Failed logins on one subject of core NATS (decision D-SHARE 5): lost messages are lost, and a forged one can only slow a login as the
 * throttle does anyway.
 */
export class SharedFailedLogins implements SharedLoginFailures {
  readonly #shared: SharedNats;
  readonly #gateway: string;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #sender = randomUUID();
  #heard: (guess: LoginFailure) => void = () => {};
  #second = { began: Number.NEGATIVE_INFINITY, heard: 0 };

  constructor(shared: SharedNats, gateway: string, clock: Clock, log: Logger) {
    this.#shared = shared;
    this.#gateway = gateway;
    this.#clock = clock;
    this.#log = log;
    shared.onConnection((connection) => this.#subscribe(connection));
  }

  tell(guess: LoginFailure): void {
    const message: Message = { ...guess, gateway: this.#gateway, sender: this.#sender };
    try {
      this.#shared.connection?.publish(SUBJECT, JSON.stringify(message));
    } catch (error) {
      this.#log.warn("A failed login was not told to the other gateways", { reason: messageOf(error) });
    }
  }

  listen(heard: (guess: LoginFailure) => void): void {
    this.#heard = heard;
  }

  #subscribe(connection: NatsConnection): void {
    connection.subscribe(SUBJECT, {
      callback: (error, message) => {
        if (error) this.#log.warn("Failed logins at other gateways do not count here", { reason: messageOf(error) });
        else this.#receive(message);
      },
    });
  }

  #receive({ data }: Msg): void {
    if (this.#isFlooded()) return;
    const message = readMessage(data);
    if (message && message.sender !== this.#sender) this.#heard({ user: message.user, origin: message.origin });
  }

  #isFlooded(): boolean {
    const now = monotonicMs(this.#clock);
    if (now - this.#second.began >= SECOND_MS) this.#second = { began: now, heard: 0 };
    this.#second.heard += 1;
    return this.#second.heard > MAX_HEARD;
  }
}

/** Undefined for what no gateway sends. */
function readMessage(data: Uint8Array): Message | undefined {
  if (data.length > MAX_MESSAGE_BYTES) return undefined;
  const message = jsonIn(Buffer.from(data).toString());
  return isMessage(message) ? message : undefined;
}

function isMessage(value: unknown): value is Message {
  if (typeof value !== "object" || value === null) return false;
  const { user, origin, gateway, sender } = value as Record<keyof Message, unknown>;
  const isGuess =
    typeof user === "string" && HASH.test(user) && typeof origin === "string" && origin.length <= MAX_ORIGIN;
  return isGuess && typeof gateway === "string" && typeof sender === "string";
}
