import { setTimeout as pause } from "node:timers/promises";
import { FixClient, type FixFields } from "./fix-client.ts";

const RETURN_MS = 50;

/**
 * A FIX client as desks have them: it replies to what the session layer asks, and logs on again whenever its connection has ended, with the
 * number that comes next. It sends nothing else.
 */
export class ReturningFixClient {
  readonly sender: string;
  readonly #port: number;
  readonly #staying: Promise<void>;
  #next = 1;
  #logons = 0;
  #connection: FixClient | undefined;
  #isClosed = false;

  constructor(port: number, sender: string) {
    this.#port = port;
    this.sender = sender;
    this.#staying = this.#stay();
  }

  /** How often its Logon was accepted. */
  get logons(): number {
    return this.#logons;
  }

  /** Its port of the latest connection. */
  get port(): number | undefined {
    return this.#connection?.socket.localPort;
  }

  /** Its next MsgSeqNum. */
  get next(): number {
    return this.#connection?.next ?? this.#next;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#connection?.close();
    await this.#staying;
  }

  async #stay(): Promise<void> {
    while (!this.#isClosed) {
      await this.#connect();
      await pause(RETURN_MS);
    }
  }

  /** One connection, to its end. */
  async #connect(): Promise<void> {
    const client = await FixClient.connect(this.#port, this.sender, this.#next);
    this.#connection = client;
    client.logon();
    for (let message = await client.nextMessage(); message; message = await client.nextMessage()) {
      this.#answer(client, message);
    }
    this.#next = client.next;
    client.close();
  }

  #answer(client: FixClient, message: FixFields): void {
    switch (message[35]) {
      case "A":
        this.#logons += 1;
        return;
      case "1":
        client.send("0", [[112, message[112] ?? ""]]);
        return;
      case "2":
        fillGap(client, Number(message[7]));
        return;
      case "5":
        client.send("5");
        client.socket.end();
        return;
      default:
    }
  }
}

/** Of the session layer's own messages none is sent again. */
function fillGap(client: FixClient, from: number): void {
  const isDuplicate = { seq: from, header: [[43, "Y"]] as const };
  client.send(
    "4",
    [
      [123, "Y"],
      [36, client.next],
    ],
    isDuplicate,
  );
}
