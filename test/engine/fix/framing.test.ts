import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Framer, MAX_MESSAGE } from "../../../src/engine/fix/framer.ts";
import { encodeFields, FixMessage, utcTimestamp } from "../../../src/engine/fix/message.ts";
import { cases, SEED } from "../../support/extent.ts";
import { frame, print } from "../../support/fix-client.ts";

function heartbeat(sequence: number, text = "x"): string {
  return frame(
    print([
      [35, "0"],
      [49, "A"],
      [56, "B"],
      [34, sequence],
      [58, text],
    ]),
  );
}

/** Numbers of the messages that come out, and how many steps it took. */
function read(framer: Framer, ...chunks: readonly (string | Buffer)[]): { numbers: string[]; steps: number } {
  const numbers: string[] = [];
  let steps = 0;
  for (const chunk of chunks) {
    framer.push(Buffer.from(chunk as string, "latin1"));
    for (let message = framer.next(); message !== undefined; message = framer.next()) {
      steps += 1;
      if (message !== "garbled") numbers.push(message.get(34) ?? "");
    }
  }
  return { numbers, steps };
}

function numbersOf(...chunks: readonly string[]): string[] {
  return read(new Framer(), ...chunks).numbers;
}

const ONE = heartbeat(1);
const TWO = heartbeat(2);

describe("framing of FIX messages", () => {
  test("property: messages come out whole, however their bytes are cut up", () => {
    const cuts = fc.array(fc.nat(400), { maxLength: 12 });
    fc.assert(
      fc.property(cuts, (at) => {
        const stream = ONE + heartbeat(2, "8=FIX.4.4") + heartbeat(3);
        const places = [0, ...at.map((cut) => cut % stream.length), stream.length].toSorted((a, b) => a - b);
        const chunks = places.slice(1).map((end, index) => stream.slice(places[index], end));
        expect(numbersOf(...chunks)).toEqual(["1", "2", "3"]);
      }),
      { seed: SEED, numRuns: cases(500) },
    );
  });

  test.each([
    ["2D: bytes that are no message", `nonsense\x01${TWO}`],
    ["2M: a BodyLength that is too small", ONE.replace(/9=\d+/, "9=10") + TWO],
    ["2M: a BodyLength that is too large", ONE.replace(/9=\d+/, "9=99") + TWO],
    ["2M: a BodyLength beyond any message", ONE.replace(/9=\d+/, "9=999999") + TWO],
    ["2T: first three fields in another order", frame("49=A\x0135=0\x0156=B\x0134=1\x01") + TWO],
    ["3B: a CheckSum that is wrong", ONE.replace(/10=\d+/, (sum) => `10=${sum === "10=000" ? "001" : "000"}`) + TWO],
    ["3C: a CheckSum of two digits", ONE.replace(/10=\d\d\d/, "10=12") + TWO],
    ["a BeginString without end", `8=FIX.4.4.4.4.4.4.4.4.4.4.4.4.4.4.4.4${TWO}`],
    ["a BodyLength that is no number", ONE.replace(/9=\d+/, "9=x7") + TWO],
    ["half a message", ONE.slice(0, 40) + TWO],
  ])("case %s is ignored, and the next message is taken", (_, bytes) => {
    expect(numbersOf(`${bytes}${heartbeat(3)}`)).toEqual(["2", "3"]);
  });

  test("a message longer than 16 KB is garbled, the longest one is not", () => {
    const fits = heartbeat(1, "x".repeat(MAX_MESSAGE - heartbeat(1, "").length - 3));
    expect(fits.length).toBeLessThanOrEqual(MAX_MESSAGE);
    expect(numbersOf(fits + heartbeat(2, "x".repeat(MAX_MESSAGE)) + heartbeat(3))).toEqual(["1", "3"]);
  });

  test.each([
    ["bytes that are no message", "\x00\xff=8FI".repeat(20_000)],
    ["beginnings of messages", "8=FIX".repeat(20_000)],
    ["messages that say they are long", "8=FIX.4.4\x019=16000\x0135=0\x01".repeat(5_000)],
    ["checksums wherever a length may end", "8=FIX.4.4\x019=26\x0135=0\x01abcdefghijklmnop10=000\x01".repeat(3_000)],
  ])(
    "garbled bytes take no more steps than there can be beginnings, and end with the next messages: %s",
    (_, bytes) => {
      const framer = new Framer();
      const chunks = Array.from({ length: Math.ceil(bytes.length / 4096) }, (_none, at) =>
        bytes.slice(at * 4096, (at + 1) * 4096),
      );
      const { numbers, steps } = read(framer, ...chunks);
      expect(numbers).toEqual([]);
      expect(steps).toBeLessThanOrEqual(bytes.length / 5);
      // What says that it is long is given up when so many bytes have come.
      const messages = Array.from({ length: Math.ceil(MAX_MESSAGE / ONE.length) + 1 }, (_none, at) => heartbeat(at));
      expect(read(framer, ...messages).numbers.at(-1)).toBe(String(messages.length - 1));
    },
  );

  test("a value of an operator cannot become fields, and has no character that Latin-1 lacks", () => {
    expect(encodeFields([[58, "a\x01150=2\x01\nb €漢\u{1f600}"]])).toBe("58=a 150=2  b ???\x01");
  });

  test("a field without a value, without a number and one that stands twice are reported", () => {
    expect(new FixMessage(frame("35=0\x0158=\x01")).fault).toMatchObject({ tag: "58", reason: 4 });
    expect(new FixMessage(frame("35=0\x01x=1\x01")).fault).toMatchObject({ tag: "x", reason: 0 });
    expect(new FixMessage(frame("35=0\x0158=a=b\x01")).get(58)).toBe("a=b");
    expect(new FixMessage(frame("35=0\x0158=a\x0158=b\x01")).isRepeated(58)).toBe(true);
  });

  test("times are written and read as FIX writes them", () => {
    const now = Date.UTC(2026, 0, 5, 9, 30, 1, 7);
    expect(utcTimestamp(now)).toBe("20260105-09:30:01.007");
    expect(new FixMessage(frame(`35=0\x0152=${utcTimestamp(now)}\x0160=20260105-09:30:01\x01`)).time(52)).toBe(now);
    expect(new FixMessage(frame("35=0\x0160=20260105-09:30:01\x01")).time(60)).toBe(now - 7);
    expect(new FixMessage(frame("35=0\x0160=2026-01-05T09:30:01Z\x01")).time(60)).toBeUndefined();
  });
});
