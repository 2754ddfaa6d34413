import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** Fields of a message by tag. */
export type FixFields = Readonly<Record<number, string>>;

/** What a test wants different in the header of a message. */
export interface HeaderOptions {
  /** MsgSeqNum in place of the next one; the next one stays what it is. */
  readonly seq?: number;
  readonly sender?: string;
  readonly target?: string;
  readonly begin?: string;
  readonly sendingTime?: string;
  /** Further fields of the header. */
  readonly header?: readonly (readonly [number, string | number])[];
}

type Body = readonly (readonly [number, string | number])[];

const SOH = "\x01";

/** UTCTimestamp of now, or of some milliseconds later. */
export function timestamp(laterMs = 0): string {
  return new Date(Date.now() + laterMs).toISOString().replace(/(\d{4})-(\d\d)-(\d\d)T(.*)Z/, "$1$2$3-$4");
}

/** A message with right length and checksum around any fields. */
export function frame(body: string, begin = "FIX.4.4"): string {
  const content = `8=${begin}${SOH}9=${body.length}${SOH}${body}`;
  return `${content}10=${sumOf(content)}${SOH}`;
}

function sumOf(content: string): string {
  const sum = [...Buffer.from(content, "latin1")].reduce((total, byte) => total + byte, 0);
  return String(sum % 256).padStart(3, "0");
}

export function print(fields: Body): string {
  return fields.map(([tag, value]) => `${tag}=${value}${SOH}`).join("");
}

/** A FIX client that says what a test wants it to say, and replies to nothing by itself. */
export class FixClient {
  readonly socket: Socket;
  readonly sender: string;
  /** Next MsgSeqNum to send. */
  next: number;
  /** Everything that was received, as it came. */
  readonly received: FixFields[] = [];
  bytesSent = 0;
  bytesReceived = 0;
  #rest = "";
  #taken = 0;
  #wake = (): void => {};

  private constructor(socket: Socket, sender: string, next: number) {
    this.socket = socket;
    this.sender = sender;
    this.next = next;
    socket.on("data", (chunk) => this.#take(chunk));
    socket.on("close", () => this.#wake());
    // A reset closes the connection, which is what tests look at.
    socket.on("error", () => {});
  }

  static async connect(port: number, sender = "FIXCLIENT1", next = 1): Promise<FixClient> {
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect");
    return new FixClient(socket, sender, next);
  }

  /** Connects and logs on; gives back the client when the Logon has been replied to. */
  static async logOn(port: number, sender = "FIXCLIENT1", next = 1, fields: Body = []): Promise<FixClient> {
    const client = await FixClient.connect(port, sender, next);
    client.logon(fields);
    await client.expect("A");
    return client;
  }

  get isClosed(): boolean {
    return this.socket.destroyed || this.socket.readableEnded;
  }

  logon(fields: Body = [], options?: HeaderOptions): void {
    const more = fields.some(([tag]) => tag === 108) ? fields : [[108, 30] as const, ...fields];
    this.send("A", [[98, 0], ...more], options);
  }

  send(type: string, fields: Body = [], options: HeaderOptions = {}): void {
    this.sendBytes(this.print(type, fields, options));
    if (options.seq === undefined) this.next += 1;
  }

  print(type: string, fields: Body, options: HeaderOptions = {}): string {
    const {
      seq = this.next,
      sender = this.sender,
      target = "ENGINE",
      sendingTime = timestamp(),
      header = [],
    } = options;
    const head: Body = [[35, type], [49, sender], [56, target], [34, seq], ...header, [52, sendingTime]];
    return frame(print([...head, ...fields]), options.begin);
  }

  sendBytes(bytes: string): void {
    this.bytesSent += bytes.length;
    this.socket.write(bytes, "latin1");
  }

  /** The next message, which has to be of this type. */
  async expect(type: string): Promise<FixFields> {
    const message = await this.nextMessage();
    if (message === undefined) throw new Error(`${this.sender}: closed, and ${type} was expected`);
    if (message[35] !== type) throw new Error(`${this.sender}: ${type} was expected: ${JSON.stringify(message)}`);
    return message;
  }

  /** The next message; undefined when the connection has ended. */
  async nextMessage(): Promise<FixFields | undefined> {
    while (this.#taken === this.received.length && !this.isClosed) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const message = this.received[this.#taken];
    if (message) this.#taken += 1;
    return message;
  }

  /** Waits for the end of the connection, behind which nothing else may have come. */
  async expectEnd(): Promise<void> {
    const message = await this.nextMessage();
    if (message) throw new Error(`${this.sender}: the end was expected: ${JSON.stringify(message)}`);
  }

  /** Asks for a sign of life: what was sent before has been dealt with when it comes. */
  async sync(): Promise<void> {
    const id = `SYNC${this.next}`;
    this.send("1", [[112, id]]);
    const reply = await this.expect("0");
    if (reply[112] !== id)
      throw new Error(`${this.sender}: heartbeat for ${id} was expected: ${JSON.stringify(reply)}`);
  }

  close(): void {
    this.socket.destroy();
  }

  #take(chunk: Buffer): void {
    this.bytesReceived += chunk.length;
    this.#rest += chunk.toString("latin1");
    for (let end = this.#end(); end > 0; end = this.#end()) {
      this.received.push(parse(this.#rest.slice(0, end)));
      this.#rest = this.#rest.slice(end);
    }
    this.#wake();
  }

  #end(): number {
    const trailer = this.#rest.indexOf(`${SOH}10=`);
    return trailer < 0 ? 0 : this.#rest.indexOf(SOH, trailer + 1) + 1;
  }
}

/** Fields of a message whose frame has to be right. */
function parse(text: string): FixFields {
  const [begin = "", length = "", ...others] = text.split(SOH);
  const body = others.slice(0, -2).join(SOH) + SOH;
  if (text !== frame(body, begin.slice(2)) || length !== `9=${body.length}`) throw new Error(`garbled: ${text}`);
  const fields: Record<number, string> = {};
  for (const field of text.split(SOH).slice(0, -1)) {
    const equals = field.indexOf("=");
    fields[Number(field.slice(0, equals))] = field.slice(equals + 1);
  }
  return fields;
}

/** Fields of a limit order. */
export function limitOrder(clOrdId: string, changes: Record<number, string | number> = {}): Body {
  const fields = { 11: clOrdId, 1: "GOLD", 55: "AAPL", 54: 1, 38: 100, 40: 2, 44: 100, 60: timestamp(), ...changes };
  return Object.entries(fields).map(([tag, value]) => [Number(tag), value] as const);
}
