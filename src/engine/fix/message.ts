/** End of a field. */
export const SOH = "\x01";

/** The version of FIX that the ports speak. */
export const BEGIN_STRING = "FIX.4.4";

/** Tags of fields that the ports read or write, by their names. */
export const TAG = {
  Account: 1,
  AvgPx: 6,
  BeginSeqNo: 7,
  BeginString: 8,
  ClOrdID: 11,
  CumQty: 14,
  EndSeqNo: 16,
  ExecID: 17,
  LastPx: 31,
  LastQty: 32,
  MsgSeqNum: 34,
  MsgType: 35,
  NewSeqNo: 36,
  OrderID: 37,
  OrderQty: 38,
  OrdStatus: 39,
  OrdType: 40,
  OrigClOrdID: 41,
  PossDupFlag: 43,
  Price: 44,
  RefSeqNum: 45,
  SenderCompID: 49,
  SenderSubID: 50,
  SendingTime: 52,
  Side: 54,
  Symbol: 55,
  TargetCompID: 56,
  Text: 58,
  TimeInForce: 59,
  TransactTime: 60,
  PossResend: 97,
  EncryptMethod: 98,
  ExDestination: 100,
  CxlRejReason: 102,
  OrdRejReason: 103,
  HeartBtInt: 108,
  TestReqID: 112,
  OrigSendingTime: 122,
  GapFillFlag: 123,
  ResetSeqNumFlag: 141,
  ExecType: 150,
  LeavesQty: 151,
  RefTagID: 371,
  RefMsgType: 372,
  SessionRejectReason: 373,
  BusinessRejectReason: 380,
  CxlRejResponseTo: 434,
} as const;

/** SessionRejectReason (373). */
export const REJECT = {
  InvalidTag: 0,
  RequiredTagMissing: 1,
  NoValue: 4,
  IncorrectValue: 5,
  IncorrectFormat: 6,
  CompIdProblem: 9,
  SendingTimeProblem: 10,
  InvalidMsgType: 11,
  TagRepeated: 13,
  OutOfOrder: 14,
  Other: 99,
} as const;

/** Fields of the standard header, by tag; those of its hops (627) may stand more than once. */
const HEADER = new Set([
  8, 9, 35, 49, 56, 115, 128, 90, 91, 34, 50, 142, 57, 143, 116, 144, 129, 145, 43, 97, 52, 122, 212, 213, 347, 369,
  627,
]);
const HOPS = new Set([628, 629, 630]);

/** A field to send. */
export type Field = readonly [tag: number, value: string | number];

const TIMESTAMP = /^(\d{4})(\d\d)(\d\d)-(\d\d:\d\d:\d\d(?:\.\d{1,9})?)$/;

/** A message as it was received: its frame is right, nothing else is certain. */
export class FixMessage {
  /** Length on the wire. */
  readonly bytes: number;
  /** First field that is not well formed, if any. */
  readonly fault: { readonly tag: string; readonly reason: number; readonly text: string } | undefined;
  readonly #fields = new Map<number, string>();
  readonly #repeated = new Set<number>();

  constructor(text: string) {
    this.bytes = text.length;
    let isHeader = true;
    for (const field of text.split(SOH).slice(0, -1)) {
      const [tag = "", ...rest] = field.split("=");
      const fault = this.#add(tag, rest.join("="), isHeader);
      this.fault ??= fault;
      isHeader &&= HEADER.has(Number(tag)) || HOPS.has(Number(tag));
    }
  }

  /** Takes a field, unless something is wrong with it, and returns what; of one that stands twice the first counts. */
  #add(name: string, value: string, isHeader: boolean): typeof this.fault {
    if (!/^[1-9]\d{0,8}$/.test(name)) return { tag: name, reason: REJECT.InvalidTag, text: "Invalid tag number" };
    if (value === "") return { tag: name, reason: REJECT.NoValue, text: "Tag specified without a value" };
    const tag = Number(name);
    const isRepeated = this.#fields.has(tag);
    if (isRepeated) this.#repeated.add(tag);
    else this.#fields.set(tag, value);
    if (!HEADER.has(tag)) return undefined;
    if (!isHeader) return { tag: name, reason: REJECT.OutOfOrder, text: "Tag specified out of required order" };
    return isRepeated ? { tag: name, reason: REJECT.TagRepeated, text: "Tag appears more than once" } : undefined;
  }

  get type(): string {
    return this.get(TAG.MsgType) ?? "";
  }

  /** Value of a field; the first one where it stands more than once. */
  get(tag: number): string | undefined {
    return this.#fields.get(tag);
  }

  isRepeated(tag: number): boolean {
    return this.#repeated.has(tag);
  }

  /** A field that is `Y`. */
  has(tag: number): boolean {
    return this.get(tag) === "Y";
  }

  /** A field that is a whole number of at most nine digits; undefined where it is missing or something else. */
  number(tag: number): number | undefined {
    const value = this.get(tag);
    return value !== undefined && /^\d{1,9}$/.test(value) ? Number(value) : undefined;
  }

  /** A field that is a UTC time, in epoch milliseconds. */
  time(tag: number): number | undefined {
    const [, year, month, day, time] = TIMESTAMP.exec(this.get(tag) ?? "") ?? [];
    const ms = Date.parse(`${year}-${month}-${day}T${time}Z`);
    return Number.isNaN(ms) ? undefined : ms;
  }
}

/** Prints epoch milliseconds as UTCTimestamp. */
export function utcTimestamp(ms: number): string {
  const [day = "", time = ""] = new Date(ms).toISOString().slice(0, -1).split("T");
  return `${day.replaceAll("-", "")}-${time}`;
}

export function checkSum(bytes: Uint8Array): string {
  let sum = 0;
  for (const byte of bytes) sum += byte;
  return String(sum % 256).padStart(3, "0");
}

/** Fields as they stand in a message. No text can end its field: an operator's reason must not become further fields. */
export function encodeFields(fields: readonly Field[]): string {
  return fields.map(([tag, value]) => `${tag}=${safeText(String(value))}${SOH}`).join("");
}

function safeText(value: string): string {
  return value.replace(/\p{Cc}/gu, " ").replace(/[^ -\xff]/gu, "?");
}

/** A whole message around printed fields that begin with MsgType. */
export function frame(body: string): Buffer {
  const content = Buffer.from(`8=${BEGIN_STRING}${SOH}9=${body.length}${SOH}${body}`, "latin1");
  return Buffer.concat([content, Buffer.from(`10=${checkSum(content)}${SOH}`, "latin1")]);
}
