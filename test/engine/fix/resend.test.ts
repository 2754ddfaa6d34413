import { describe, expect, test } from "vitest";
import { type FixClient, limitOrder, timestamp } from "../../support/fix-client.ts";
import { until } from "../../support/until.ts";
import { FIXCLIENT1, type FixBench, fixBench } from "./fixture.ts";

const AGAIN = [[43, "Y"]] as const;

/** A client with one order that works: numbers 1 and 3 of the port are of the session layer, number 2 is a report. */
async function withReport(): Promise<FixBench & { client: FixClient }> {
  const bench = await fixBench();
  const client = await bench.logOn();
  client.send("D", limitOrder("A"));
  await client.expect("8");
  await client.sync();
  return { ...bench, client };
}

describe("resend requests to a FIX port", () => {
  test("case 8: application messages are sent again as possible duplicates, gaps are filled between them", async () => {
    const { client } = await withReport();
    client.send("2", [
      [7, 1],
      [16, 0],
    ]);
    expect(await client.expect("4")).toMatchObject({ 34: "1", 36: "2", 43: "Y", 123: "Y" });
    const report = await client.expect("8");
    expect(report).toMatchObject({ 34: "2", 43: "Y", 11: "A", 150: "0", 122: client.received[1]?.[52] });
    expect({ ...report, 43: "", 52: "", 122: "", 9: "", 10: "" }).toEqual({
      ...client.received[1],
      43: "",
      52: "",
      122: "",
      9: "",
      10: "",
    });
    expect(await client.expect("4")).toMatchObject({ 34: "3", 36: "4", 43: "Y", 123: "Y" });
    await client.sync();
  });

  test.each([
    ["a range within what was sent", 2, 2, [["8", "2"]]],
    ["a range of messages of the session layer", 3, 3, [["4", "3"]]],
    [
      "an end beyond what was sent",
      2,
      99,
      [
        ["8", "2"],
        ["4", "3"],
      ],
    ],
    ["a beginning beyond what was sent", 90, 99, []],
  ] as const)("case 8: %s", async (_, from, to, expected) => {
    const { client } = await withReport();
    const before = client.received.length;
    client.send("2", [
      [7, from],
      [16, to],
    ]);
    for (const [type] of expected) await client.expect(type);
    await client.sync();
    const answers = client.received.slice(before, -1).map((message) => [message[35], message[34]]);
    expect(answers).toEqual(expected);
  });

  test("case 20: a resend request whose own number is too high is answered, then messages are asked for", async () => {
    const { client } = await withReport();
    client.send(
      "2",
      [
        [7, 2],
        [16, 2],
      ],
      { seq: 9 },
    );
    expect(await client.expect("8")).toMatchObject({ 34: "2", 43: "Y" });
    expect(await client.expect("2")).toMatchObject({ 7: "4", 16: "0" });
  });

  test("what happens without a connection is numbered, and sent when the client asks for it", async () => {
    const { client, engine, logOn } = await withReport();
    client.send("5");
    await client.expect("5");
    await client.expectEnd();
    const [order] = engine.workingOrders();
    engine.fillOrder(order?.id ?? "", "40", "99.5");
    const back = await logOn("FIXCLIENT1", client.next);
    expect(back.received[0]).toMatchObject({ 34: "6" });
    back.send("2", [
      [7, 5],
      [16, 0],
    ]);
    expect(await back.expect("8")).toMatchObject({ 34: "5", 43: "Y", 150: "F", 14: "40", 6: "99.5" });
    await back.expect("4");
    await back.sync();
  });

  test("of 1,200 reports the last 1,000 are sent again, the gap before them is filled", async () => {
    const { client, logOn, engine } = await withReport();
    const [order] = engine.workingOrders();
    client.close();
    for (let count = 0; count < 1_200; count += 1) engine.fillOrder(order?.id ?? "", "0.01", "99.5");
    const back = await logOn("FIXCLIENT1", client.next);
    back.send("2", [
      [7, 4],
      [16, 0],
    ]);
    const gap = await back.expect("4");
    expect(gap).toMatchObject({ 34: "4", 36: "204" });
    for (let count = 0; count < 1_000; count += 1) {
      expect(await back.expect("8")).toMatchObject({ 34: String(204 + count), 43: "Y" });
    }
    await back.expect("4");
    await back.sync();
  });
});

describe("sequence resets to a FIX port", () => {
  test("case 10A: a gap fill whose number is too high is asked for again with the rest", async () => {
    const { logOn } = await fixBench();
    const client = await logOn();
    client.send(
      "4",
      [
        [123, "Y"],
        [36, 20],
      ],
      { seq: 5 },
    );
    expect(await client.expect("2")).toMatchObject({ 7: "2", 16: "0" });
  });

  test("case 10B: a gap fill with the expected number moves it on", async () => {
    const { logOn, engine } = await fixBench();
    const client = await logOn();
    client.send("4", [
      [123, "Y"],
      [36, 20],
    ]);
    client.next = 20;
    await client.sync();
    expect(engine.getFixSession(FIXCLIENT1).inboundSequence).toBe(21);
  });

  test("case 10C: a gap fill that was received already is ignored", async () => {
    const { logOn } = await fixBench();
    const client = await logOn();
    client.send(
      "4",
      [
        [123, "Y"],
        [36, 20],
      ],
      { seq: 1, header: AGAIN },
    );
    await client.sync();
  });

  test("case 10D: a gap fill whose number is too low ends the session", async () => {
    const { logOn } = await fixBench();
    const client = await logOn();
    client.send(
      "4",
      [
        [123, "Y"],
        [36, 20],
      ],
      { seq: 1 },
    );
    expect((await client.expect("5"))[58]).toContain("MsgSeqNum too low");
  });

  test("case 10E: a gap fill that would lower the number is rejected, and counted", async () => {
    const { logOn } = await fixBench();
    const client = await logOn();
    client.send("4", [
      [123, "Y"],
      [36, 2],
    ]);
    expect(await client.expect("3")).toMatchObject({ 45: "2", 371: "36", 373: "5" });
    await client.sync();
  });

  test("case 11A: a reset to a higher number moves it on, whatever its own number is", async () => {
    const { logOn } = await fixBench();
    const client = await logOn();
    client.send("4", [[36, 40]], { seq: 1 });
    client.next = 40;
    await client.sync();
  });

  test("case 11B: a reset to the expected number changes nothing", async () => {
    const { logOn } = await fixBench();
    const client = await logOn();
    client.send("4", [[36, 2]], { seq: 1 });
    await client.sync();
  });

  test("case 11C: a reset to a lower number is rejected, and not counted", async () => {
    const { logOn } = await fixBench();
    const client = await logOn();
    await client.sync();
    client.send("4", [[36, 2]], { seq: 7 });
    expect(await client.expect("3")).toMatchObject({ 371: "36", 373: "5" });
    await client.sync();
  });

  test("a reset ends the waiting for messages that do not come, and a later gap is asked for", async () => {
    const { logOn } = await fixBench();
    const client = await logOn();
    client.send("0", [], { seq: 50 });
    await client.expect("2");
    client.send("4", [[36, 10]], { seq: 51 });
    client.send("0", [], { seq: 12 });
    expect(await client.expect("2")).toMatchObject({ 7: "10", 16: "0" });
  });

  test("messages that are sent again after a request take effect once, in their order", async () => {
    const { logOn, engine } = await fixBench();
    const client = await logOn();
    client.send("D", limitOrder("B"), { seq: 3 });
    await client.expect("2");
    client.send("D", limitOrder("A"), { seq: 2, header: [...AGAIN, [122, timestamp()]] });
    client.send("D", limitOrder("B"), { seq: 3, header: [...AGAIN, [122, timestamp()]] });
    expect([(await client.expect("8"))[11], (await client.expect("8"))[11]]).toEqual(["A", "B"]);
    client.next = 4;
    await client.sync();
    expect(engine.workingOrders()).toHaveLength(2);
  });
});

/** What a client sends: a number alone is sent for the first time, one with `again` after a request, `garbled` ones have a wrong checksum. */
interface Said {
  readonly seq: number;
  readonly again?: true;
  readonly garbled?: true;
}

/** Sends heartbeats, and says which numbers were asked for from on, in their order. */
async function asked(client: FixClient, said: readonly Said[]): Promise<(string | undefined)[]> {
  const before = client.received.length;
  for (const { seq, again, garbled } of said) {
    const header = again ? [...AGAIN, [122, timestamp()] as const] : [];
    const text = client.print("0", [], { seq, header });
    client.sendBytes(garbled ? text.replace(/10=\d/, "10=x") : text);
  }
  // A number that was taken already, so that the reply is the same whatever is awaited.
  client.send("4", [[36, 1]], { seq: 1 });
  await until(() => client.received.some((message, index) => index >= before && message[35] === "3"), "a Reject");
  const requests = client.received.slice(before).filter((message) => message[35] === "2");
  return requests.map((message) => message[7]);
}

const live = (...numbers: number[]): Said[] => numbers.map((seq) => ({ seq }));
const again = (...numbers: number[]): Said[] => numbers.map((seq) => ({ seq, again: true }));
const lost = (seq: number): Said => ({ seq, again: true, garbled: true });

describe("D-ENG 45: what is garbled when it is sent again is asked for again", () => {
  test.each([
    ["one in the middle", [...again(2), lost(3), ...again(4, 5)], ["3"]],
    ["the first one", [lost(2), ...again(3, 4, 5)], ["2"]],
    ["the last one, behind which something new comes", [...again(2, 3, 4), lost(5), ...live(6)], ["5"]],
    ["two of them", [...again(2), lost(3), ...again(4), ...again(3), lost(4), ...again(5)], ["3", "4"]],
    ["one, twice", [...again(2), lost(3), ...again(4, 5), lost(3), ...again(4, 5)], ["3", "3"]],
    ["none", again(2, 3, 4, 5), []],
  ] as const)("%s", async (_, said, expected) => {
    const { logOn } = await fixBench();
    const client = await logOn();
    expect(await asked(client, live(5))).toEqual(["2"]);
    expect(await asked(client, said)).toEqual(expected);
  });

  test("once: what was on its way before the request does not count", async () => {
    const { logOn, engine } = await fixBench();
    const client = await logOn();
    expect(await asked(client, [...live(5, 6, 7), ...again(2), lost(3), ...again(4, 5, 6, 7), ...live(8)])).toEqual([
      "2",
      "3",
    ]);
    expect(await asked(client, again(3, 4, 5, 6, 7, 8))).toEqual([]);
    expect(engine.getFixSession(FIXCLIENT1).inboundSequence).toBe(9);
  });

  test("and where nothing of it came for two seconds, with the next message", async () => {
    const { logOn, clock } = await fixBench();
    const client = await logOn();
    expect(await asked(client, [...live(3), lost(2), ...live(4)])).toEqual(["2"]);
    clock.advance(2_000);
    expect(await asked(client, live(5))).toEqual(["2"]);
  });
});
