import { expect, test } from "vitest";
import { type FixClient, type FixFields, frame, limitOrder, print, timestamp } from "../../support/fix-client.ts";
import { fixBench } from "./fixture.ts";

type Options = NonNullable<Parameters<FixClient["print"]>[2]>;
type Body = Parameters<FixClient["print"]>[1];
type Step = (client: FixClient) => unknown;

/** The client sends a message with a number. */
function says(seq: number, type: string, body: Body = [], options: Options = {}): Step {
  return (client) => client.sendBytes(client.print(type, body, { seq, ...options }));
}

/** The client sends the same with something changed behind the print: its length and checksum no longer fit. */
function garbles(seq: number, type: string, body: Body, change: (text: string) => string): Step {
  return (client) => client.sendBytes(change(client.print(type, body, { seq })));
}

/** The client sends fields in this order, in a frame that is right. */
function saysRaw(...fields: Body): Step {
  return (client) => client.sendBytes(frame(print(fields)));
}

function hears(type: string, fields: FixFields = {}): Step {
  return async (client) => expect(await client.expect(type)).toMatchObject(fields);
}

const ends: Step = (client) => client.expectEnd();

/** The client logs out, and gets the Logout with this number. */
function logsOut(seq: number, replySeq: number): readonly Step[] {
  return [says(seq, "5"), hears("5", { 34: String(replySeq) }), ends];
}

const HEADER = [
  [49, "FIXCLIENT1"],
  [56, "ENGINE"],
] as const;
const AGAIN: Options = {
  header: [
    [43, "Y"],
    [122, timestamp(-10_000)],
  ],
};
const HELLO: Body = [[112, "HELLO"]];

function order(id: string, changes: Record<number, string | number> = {}): Body {
  return limitOrder(id, changes);
}

function fills(to: number): Body {
  return [
    [123, "Y"],
    [36, to],
  ];
}

function asks(from: number, to: number): Body {
  return [
    [7, from],
    [16, to],
  ];
}

/** What the definition of that name in QuickFIX/J's acceptance suite for FIX 4.4 asks of an acceptor, after a Logon with number 1. */
const SCENARIOS: readonly (readonly [definition: string, ...steps: readonly Step[]])[] = [
  ["1a_ValidLogonWithCorrectMsgSeqNum", ...logsOut(2, 2)],
  ["2a_MsgSeqNumCorrect", says(2, "0"), says(3, "0"), says(4, "0"), ...logsOut(5, 2)],
  [
    "2b_MsgSeqNumTooHigh",
    ...[says(2, "0"), says(5, "0"), hears("2", { 7: "3", 16: "0" }), says(3, "0"), says(4, "0"), says(5, "0")],
    ...logsOut(6, 3),
  ],
  [
    "2c_MsgSeqNumTooLow",
    says(2, "0"),
    says(2, "0"),
    hears("5", { 58: "MsgSeqNum too low, expecting 3 but received 2" }),
    ends,
  ],
  [
    "2d_GarbledMessage",
    garbles(2, "0", [], (text) => text.replace("49=", "4garbled9=")),
    ...[says(2, "0"), garbles(3, "D", order("A"), (text) => text.replace("49=", "49garbled=")), says(4, "0")],
    ...[hears("2", { 7: "3", 16: "0" }), says(3, "D", order("A")), hears("8", { 34: "3", 11: "A" }), ...logsOut(5, 4)],
  ],
  ["2e_PossDupAlreadyReceived", says(2, "0"), says(2, "0", [], AGAIN), says(3, "0"), ...logsOut(4, 2)],
  ["2e_PossDupNotReceived", says(2, "1", HELLO, AGAIN), hears("0", { 112: "HELLO" }), ...logsOut(3, 3)],
  [
    "2f_PossDupOrigSendingTimeTooHigh",
    ...[
      says(2, "D", order("A")),
      hears("8"),
      says(2, "D", order("A"), {
        header: [
          [43, "Y"],
          [122, timestamp(10_000)],
        ],
      }),
    ],
    ...[hears("3", { 34: "3", 45: "2", 371: "122", 372: "D", 373: "10" }), hears("5", { 34: "4" }), says(3, "5"), ends],
  ],
  [
    "2g_PossDupNoOrigSendingTime",
    ...[says(2, "D", order("A")), hears("8"), says(2, "D", order("A"), { header: [[43, "Y"]] })],
    ...[hears("3", { 34: "3", 45: "2", 371: "122", 373: "1" }), says(3, "1", HELLO), hears("0"), ...logsOut(4, 5)],
  ],
  ["2i_BeginStringValueUnexpected", says(2, "1", HELLO, { begin: "FIX.4.1" }), hears("5", { 34: "2" }), ends],
  [
    "2k_CompIDDoesNotMatchProfile",
    says(2, "D", order("A"), { sender: "WT", target: "DLSI" }),
    ...[hears("3", { 45: "2", 372: "D", 373: "9" }), hears("5", { 58: "CompID problem" }), says(3, "5"), ends],
  ],
  [
    "2m_BodyLengthValueNotCorrect: too short",
    garbles(2, "D", order("A"), (text) => text.replace(/9=\d+/, "9=30")),
    ...[says(3, "D", order("B")), hears("2", { 7: "2" }), says(2, "D", order("A")), hears("8", { 11: "A" })],
    ...[says(3, "D", order("B")), hears("8", { 11: "B" }), ...logsOut(4, 5)],
  ],
  [
    "2m_BodyLengthValueNotCorrect: too long",
    garbles(2, "D", order("A"), (text) => text.replace(/9=\d+/, (length) => `9=${Number(length.slice(2)) + 20}`)),
    ...[says(2, "D", order("A")), hears("8", { 11: "A" }), ...logsOut(3, 3)],
  ],
  ["2q_MsgTypeNotValid", says(2, "*"), hears("3", { 45: "2", 371: "35", 372: "*", 373: "11" }), ...logsOut(3, 3)],
  ["2r_UnregisteredMsgType", says(2, "8", [[37, "id"]]), hears("j", { 45: "2", 372: "8", 380: "3" }), ...logsOut(3, 3)],
  [
    "2r_UnregisteredMsgType: one that two ends agree on",
    says(2, "U1"),
    hears("j", { 372: "U1", 380: "3" }),
    ...logsOut(3, 3),
  ],
  [
    "2t_FirstThreeFieldsOutOfOrder",
    (client) =>
      client.sendBytes(print([[35, 0], [8, "FIX.4.4"], [9, 29], [34, 2], ...HEADER, [52, timestamp()], [10, 121]])),
    ...[says(2, "1", HELLO), hears("0"), saysRaw([34, 3], [35, 0], ...HEADER, [52, timestamp()])],
    ...[says(3, "1", HELLO), hears("0"), ...logsOut(4, 4)],
  ],
  [
    "3b_InvalidChecksum",
    garbles(2, "0", [], (text) => text.replace(/10=\d+/, "10=256")),
    ...[says(2, "0"), garbles(3, "D", order("A"), (text) => text.replace(/10=\d+/, "10=256")), says(4, "0")],
    ...[hears("2", { 7: "3", 16: "0" }), says(3, "D", order("A")), hears("8"), ...logsOut(4, 4)],
  ],
  ["4b_ReceivedTestRequest", says(2, "1", HELLO), hears("0", { 112: "HELLO" }), ...logsOut(3, 3)],
  ["7_ReceiveRejectMessage", says(2, "3", [[45, 1]]), ...logsOut(3, 2)],
  [
    "8_OnlyAdminMessages",
    ...[says(2, "1", HELLO), hears("0"), says(3, "1", HELLO), hears("0"), says(4, "2", asks(1, 3))],
    ...[
      hears("4", { 34: "1", 36: "4", 43: "Y", 123: "Y" }),
      says(5, "2", asks(1, 0)),
      hears("4", { 34: "1", 36: "4" }),
    ],
    ...logsOut(6, 4),
  ],
  [
    "8_AdminAndApplicationMessages",
    ...[says(2, "1", HELLO), hears("0"), says(3, "D", order("A")), hears("8"), says(4, "1", HELLO), hears("0")],
    ...[says(5, "2", asks(2, 4)), hears("4", { 34: "2", 36: "3" }), hears("8", { 34: "3", 43: "Y" })],
    ...[hears("4", { 34: "4", 36: "5" }), says(6, "1", HELLO), hears("0", { 34: "5" }), ...logsOut(7, 6)],
  ],
  ["10_MsgSeqNumEqual", says(2, "4", fills(20)), says(20, "1", HELLO), hears("0", { 34: "2" }), ...logsOut(21, 3)],
  [
    "10_MsgSeqNumGreater",
    says(10, "4", fills(20)),
    says(20, "1", HELLO),
    hears("2", { 7: "2", 16: "0" }),
    ...logsOut(2, 3),
  ],
  [
    "10_MsgSeqNumLess",
    ...[says(1, "4", fills(20), AGAIN), says(2, "1", HELLO), hears("0"), says(1, "4", fills(20))],
    ...[hears("5", { 58: "MsgSeqNum too low, expecting 3 but received 1" }), ends],
  ],
  [
    "11a_NewSeqNoGreater",
    ...[
      says(0, "4", [[36, 25]]),
      says(25, "1", HELLO),
      hears("0"),
      says(0, "4", [
        [36, 50],
        [123, "N"],
      ]),
    ],
    ...[says(50, "1", HELLO), hears("0"), ...logsOut(51, 4)],
  ],
  ["11b_NewSeqNoEqual", says(0, "4", [[36, 2]]), says(2, "1", HELLO), hears("0"), ...logsOut(3, 3)],
  [
    "11c_NewSeqNoLess",
    ...[
      says(0, "4", [[36, 1]]),
      hears("3", { 45: "0", 371: "36", 372: "4", 373: "5" }),
      says(2, "1", HELLO),
      hears("0"),
    ],
    ...logsOut(3, 4),
  ],
  ...(["0", "-1", "x"].map((tag) => [
    `14a_BadField: ${tag}`,
    (client: FixClient) =>
      client.sendBytes(frame(`${print([[35, 0], ...HEADER, [34, 2], [52, timestamp()]])}${tag}=HI\x01`)),
    ...[hears("3", { 45: "2", 373: "0" }), ...logsOut(3, 3)],
  ]) as [string, ...Step[]][]),
  ...([49, 56, 52].map((missing) => [
    `14b_RequiredFieldMissing: ${missing} of the header`,
    saysRaw(
      ...[[35, 0] as const, ...HEADER, [34, 2] as const, [52, timestamp()] as const].filter(([tag]) => tag !== missing),
    ),
    ...[hears("3", { 45: "2", 371: String(missing), 372: "0", 373: "1" }), ...logsOut(3, 3)],
  ]) as [string, ...Step[]][]),
  [
    "14b_RequiredFieldMissing",
    says(
      2,
      "D",
      order("A").filter(([tag]) => tag !== 55),
    ),
    hears("3", { 371: "55", 373: "1" }),
    ...logsOut(3, 3),
  ],
  [
    "14d_TagSpecifiedWithoutValue",
    says(2, "0", [], { target: "" }),
    hears("3", { 371: "56", 372: "0", 373: "4" }),
    ...logsOut(3, 3),
  ],
  [
    "14e_IncorrectEnumValue",
    says(2, "D", order("A", { 40: "w" })),
    hears("3", { 371: "40", 373: "5" }),
    ...logsOut(3, 3),
  ],
  [
    "14f_IncorrectDataFormat",
    says(2, "D", order("A", { 38: "+200.00" })),
    hears("3", { 371: "38", 373: "6" }),
    ...logsOut(3, 3),
  ],
  [
    "14g_HeaderBodyTrailerFieldsOutOfOrder: the body first",
    saysRaw([35, "D"], ...order("A"), [34, 2], ...HEADER, [52, timestamp()]),
    ...[hears("3", { 45: "2", 371: "34", 372: "D", 373: "14" }), ...logsOut(3, 3)],
  ],
  [
    "14g_HeaderBodyTrailerFieldsOutOfOrder: a field of the body first",
    saysRaw(
      [35, "D"],
      [55, "AAPL"],
      [34, 2],
      ...HEADER,
      [52, timestamp()],
      ...order("A").filter(([tag]) => tag !== 55),
    ),
    ...[hears("3", { 45: "2", 371: "34", 372: "D", 373: "14" }), ...logsOut(3, 3)],
  ],
  [
    "14h_RepeatedTag",
    ...[says(2, "D", [...order("A"), [40, 1]]), hears("3", { 371: "40", 373: "13" }), ...logsOut(3, 3)],
  ],
  [
    "14h_RepeatedTag: of the header",
    ...[says(2, "0", [], { header: [[34, 2]] }), hears("3", { 371: "34", 373: "13" }), ...logsOut(3, 3)],
  ],
  [
    "15_HeaderAndBodyFieldsOrderedDifferently",
    ...[says(2, "D", order("A")), hears("8")],
    saysRaw([35, "D"], [49, "FIXCLIENT1"], [34, 3], [56, "ENGINE"], [52, timestamp()], ...order("B").toReversed()),
    ...[hears("8", { 11: "B", 150: "0" }), ...logsOut(4, 4)],
  ],
  [
    "19a_PossResendMessageThatHAsAlreadyBeenSent",
    ...[says(2, "D", order("A")), hears("8"), says(3, "D", order("A"), { header: [[97, "Y"]] }), ...logsOut(4, 3)],
  ],
  [
    "19b_PossResendMessageThatHasNotBeenSent",
    says(2, "D", order("A"), { header: [[97, "Y"]] }),
    hears("8"),
    ...logsOut(3, 3),
  ],
  [
    "20_SimultaneousResendRequest",
    ...[says(2, "D", order("A")), hears("8"), says(6, "0"), hears("2", { 7: "3", 16: "0" }), says(7, "2", asks(2, 2))],
    ...[hears("8", { 34: "2", 43: "Y" }), says(3, "0", [], AGAIN), says(4, "0", [], AGAIN), says(5, "0", [], AGAIN)],
    ...logsOut(6, 4),
  ],
  [
    "QFJ650_MissingMsgSeqNum",
    saysRaw([35, 1], ...HEADER, [52, timestamp()], [112, "TEST"]),
    hears("5", { 34: "2" }),
    ends,
  ],
  [
    "RejectResentMessage",
    ...[says(3, "1", HELLO), hears("2", { 7: "2" }), says(2, "D", order("A", { 38: "many" }), AGAIN)],
    ...[
      hears("3", { 34: "3", 45: "2", 371: "38", 373: "6" }),
      says(3, "1", HELLO),
      hears("0", { 34: "4" }),
      ...logsOut(4, 5),
    ],
  ],
  [
    "SessionReset",
    ...[
      says(2, "1", HELLO),
      hears("0", { 34: "2" }),
      says(1, "A", [
        [98, 0],
        [108, 30],
        [141, "Y"],
      ]),
    ],
    ...[hears("A", { 34: "1", 141: "Y" }), says(2, "1", HELLO), hears("0", { 34: "2" }), ...logsOut(3, 3)],
  ],
  [
    "bugfix_QFJ634_ResendRequestAndSequenceReset",
    ...[says(2, "D", order("A")), hears("8"), says(6, "0"), hears("2", { 7: "3", 16: "0" })],
    ...[
      says(3, "D", order("B"), AGAIN),
      hears("8", { 11: "B" }),
      says(4, "4", fills(5)),
      says(5, "D", order("C"), AGAIN),
    ],
    ...[hears("8", { 11: "C" }), says(6, "4", fills(7)), ...logsOut(7, 6)],
  ],
];

test.each(SCENARIOS)("D-ENG 44: the FIX port passes %s", async (_, ...steps) => {
  const { logOn } = await fixBench();
  const client = await logOn();
  for (const step of steps as readonly Step[]) await step(client);
});

test.each([
  ["1d_InvalidLogonLengthInvalid", (text: string) => text.replace(/9=\d+/, "9=40")],
  [
    "1d_InvalidLogonWrongBeginString",
    (text: string) => frame(`${text.split("\x01").slice(2, -2).join("\x01")}\x01`, "FIX.3.9"),
  ],
  ["a CheckSum that is wrong", (text: string) => text.replace(/10=\d+/, "10=256")],
])(
  "D-ENG 44: a connection whose first message is garbled or of another version is ended immediately: %s",
  async (_, change) => {
    const { connect } = await fixBench();
    const client = await connect();
    client.sendBytes(
      change(
        client.print("A", [
          [98, 0],
          [108, 30],
        ]),
      ),
    );
    for (let message = await client.nextMessage(); message; message = await client.nextMessage())
      expect(message[35]).toBe("5");
  },
);
