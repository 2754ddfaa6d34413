import { describe, expect, test } from "vitest";
import { frame, print, timestamp } from "../../support/fix-client.ts";
import { FIXCLIENT1, fixBench } from "./fixture.ts";

describe("logon to a FIX port", () => {
  test("case 1S: a valid Logon is replied to with the same HeartBtInt", async () => {
    const { connect, engine } = await fixBench();
    const client = await connect();
    client.logon([[108, 17]]);
    expect(await client.expect("A")).toMatchObject({ 49: "ENGINE", 56: "FIXCLIENT1", 34: "1", 98: "0", 108: "17" });
    expect(engine.getFixSession(FIXCLIENT1)).toMatchObject({ inboundSequence: 2, outboundSequence: 2 });
  });

  test("case 1S: a Logon whose MsgSeqNum is too high is replied to, then the missing messages are asked for", async () => {
    const { connect } = await fixBench();
    const client = await connect();
    client.logon([], { seq: 5 });
    await client.expect("A");
    expect(await client.expect("2")).toMatchObject({ 7: "1", 16: "0" });
  });

  test("a Logon whose MsgSeqNum is too low is refused with a Logout that names the expected one", async () => {
    const { logOn, connect } = await fixBench();
    const first = await logOn();
    await first.sync();
    first.close();
    const second = await connect();
    second.logon();
    expect((await second.expect("5"))[58]).toBe("MsgSeqNum too low, expecting 3 but received 1");
    await second.expectEnd();
  });

  test("ResetSeqNumFlag begins the numbers of both sides anew", async () => {
    const { logOn, engine } = await fixBench();
    const first = await logOn();
    await first.sync();
    first.close();
    const second = await logOn("FIXCLIENT1", 1, [[141, "Y"]]);
    expect(second.received[0]).toMatchObject({ 34: "1", 141: "Y" });
    expect(engine.getFixSession(FIXCLIENT1)).toMatchObject({ inboundSequence: 2, outboundSequence: 2 });
    second.next = 1;
    second.logon([[141, "Y"]]);
    expect(await second.expect("A")).toMatchObject({ 34: "1", 141: "Y" });
    await second.sync();
  });

  test.each([
    ["another MsgSeqNum than 1 with ResetSeqNumFlag", [[141, "Y"]], { seq: 3 }, "MsgSeqNum must be 1"],
    ["an EncryptMethod other than none", [[98, 1]], {}, "98"],
    ["a HeartBtInt that is no number", [[108, "x"]], {}, "108"],
    ["a HeartBtInt of more than an hour", [[108, 3601]], {}, "HeartBtInt must be 0 to 3600 seconds, is 3601"],
    [
      "case 2O: a SendingTime of another time",
      [],
      { sendingTime: timestamp(-3_600_000) },
      "SendingTime accuracy problem",
    ],
    ["case 2I: another BeginString", [], { begin: "FIX.4.2" }, "Incorrect BeginString"],
  ] as const)("a Logon with %s is refused with a Logout that says so", async (_, fields, options, text) => {
    const { connect, engine } = await fixBench();
    const client = await connect();
    const body = [[98, 0], [108, 30], ...fields].filter(
      ([tag], at, all) => all.findLastIndex(([other]) => other === tag) === at,
    );
    client.send("A", body as [number, string][], options);
    expect((await client.expect("5"))[58]).toContain(text);
    await client.expectEnd();
    expect(engine.getFixGateway(FIXCLIENT1)).toMatchObject({ rejectedConnections: 1 });
  });

  test("case 1B: a connection that begins with another message than a Logon is ended without a reply", async () => {
    const { connect, engine } = await fixBench();
    const client = await connect();
    client.send("0");
    await client.expectEnd();
    expect(engine.getFixGateway(FIXCLIENT1)).toMatchObject({ rejectedConnections: 1 });
    expect(engine.getFixSession(FIXCLIENT1).status).toBe("Connected");
  });

  test("unknown CompIDs are reported, and leave all sessions as they are", async () => {
    const { connect, engine } = await fixBench();
    const before = engine.listFixSessions(FIXCLIENT1);
    for (const [sender, target] of [
      ["NOBODY", "ENGINE"],
      ["FIXCLIENT1", "OTHER"],
      ["OTHER", "ENGINE"],
    ] as const) {
      const client = await connect(sender);
      client.logon([], { target });
      const text = `OE1 has no session with SenderCompID "${sender}" and TargetCompID "${target}"`;
      expect(await client.expect("5")).toMatchObject({ 49: target, 56: sender, 58: text });
      await client.expectEnd();
    }
    expect(engine.listFixSessions(FIXCLIENT1)).toEqual(before);
  });

  test("a second connection of a session is ended without a reply, and the first one stays", async () => {
    const { logOn, connect, engine } = await fixBench();
    const first = await logOn();
    const second = await connect();
    second.logon();
    await second.expectEnd();
    await first.sync();
    expect(engine.getFixSession(FIXCLIENT1)).toMatchObject({ remotePort: first.socket.localPort });
    expect(engine.getFixGateway(FIXCLIENT1)).toMatchObject({ rejectedConnections: 1 });
  });

  test("a connection that has not logged on after 10 seconds, or sent 16 KB of something else, is ended", async () => {
    const { connect, logOn, clock } = await fixBench();
    const silent = await connect();
    const talker = await connect();
    talker.sendBytes("GET / ".repeat(4_000));
    await talker.expectEnd();
    const session = await logOn();
    clock.advance(10_000);
    await silent.expectEnd();
    await session.sync();
  });

  test("each order-entry gateway listens on a separate port for its own sessions, and no other gateway has one", async () => {
    const { ports, connect } = await fixBench();
    expect(ports.map(({ gateway }) => gateway)).toEqual(["OE1", "OE2"]);
    expect(new Set(ports.map(({ port }) => port)).size).toBe(2);
    const client = await connect("M1");
    client.logon();
    await client.expect("5");
  });
});

describe("D-ENG 35: messages of a FIX session", () => {
  test("case 2B: a MsgSeqNum that is too high: the missing messages are asked for, once", async () => {
    const { logOn } = await fixBench();
    const client = await logOn();
    client.send("0", [], { seq: 5 });
    expect(await client.expect("2")).toMatchObject({ 7: "2", 16: "0" });
    client.send("0", [], { seq: 6 });
    client.send(
      "4",
      [
        [123, "Y"],
        [36, 7],
      ],
      { seq: 2, header: [[43, "Y"]] },
    );
    client.next = 7;
    await client.sync();
  });

  test("case 2C: a MsgSeqNum that is too low ends the session with a Logout that names the expected one", async () => {
    const { logOn } = await fixBench();
    const client = await logOn();
    client.send("0", [], { seq: 1 });
    expect((await client.expect("5"))[58]).toBe("MsgSeqNum too low, expecting 2 but received 1");
    await client.expectEnd();
  });

  test("case 2D: a garbled message is ignored, and its number is still awaited", async () => {
    const { logOn } = await fixBench();
    const client = await logOn();
    client.sendBytes(client.print("1", [[112, "GARBLED"]]).replace(/10=\d{3}/, "10=xyz"));
    await client.sync();
  });

  test("case 2E: a possible duplicate that was received already is ignored", async () => {
    const { logOn } = await fixBench();
    const client = await logOn();
    client.send("1", [[112, "AGAIN"]], {
      seq: 1,
      header: [
        [43, "Y"],
        [122, timestamp()],
      ],
    });
    await client.sync();
  });

  test("case 2F: an OrigSendingTime after the SendingTime is rejected, and the session logged out", async () => {
    const { logOn } = await fixBench();
    const client = await logOn();
    client.send("0", [], {
      seq: 1,
      header: [
        [43, "Y"],
        [122, timestamp(60_000)],
      ],
    });
    expect(await client.expect("3")).toMatchObject({ 45: "1", 371: "122", 373: "10" });
    await client.expect("5");
    client.send("5");
    await client.expectEnd();
  });

  test("case 2G: a possible duplicate without OrigSendingTime is rejected", async () => {
    const { logOn } = await fixBench();
    const client = await logOn();
    client.send("0", [], { seq: 1, header: [[43, "Y"]] });
    expect(await client.expect("3")).toMatchObject({ 371: "122", 373: "1" });
    client.send("0", [], { header: [[43, "Y"]] });
    expect(await client.expect("3")).toMatchObject({ 371: "122", 373: "1" });
    await client.sync();
  });

  test("case 2I: another BeginString in the middle of a session ends it with a Logout", async () => {
    const { logOn } = await fixBench();
    const client = await logOn();
    client.send("0", [], { begin: "FIX.4.3" });
    expect((await client.expect("5"))[58]).toContain("Incorrect BeginString");
    await client.expectEnd();
  });

  test.each([
    ["SenderCompID", { sender: "FIXCLIENT2" }, "49"],
    ["TargetCompID", { target: "VENUE" }, "56"],
  ])("case 2K: another %s is rejected, counted, and the session logged out", async (_, options, tag) => {
    const { logOn, engine } = await fixBench();
    const client = await logOn();
    client.send("0", [], options);
    expect(await client.expect("3")).toMatchObject({ 45: "2", 371: tag, 373: "9" });
    expect((await client.expect("5"))[58]).toBe("CompID problem");
    client.send("5");
    await client.expectEnd();
    expect(engine.getFixSession(FIXCLIENT1)).toMatchObject({ status: "Disconnected", inboundSequence: 4 });
  });

  test.each([
    ["more than two minutes early", timestamp(-3_600_000)],
    ["more than two minutes late", timestamp(3_600_000)],
    ["not a time", "20260105"],
  ])("case 2O: a SendingTime that is %s is rejected, and the session logged out", async (_, sendingTime) => {
    const { logOn } = await fixBench();
    const client = await logOn();
    client.send("0", [], { sendingTime });
    expect(await client.expect("3")).toMatchObject({ 371: "52", 373: "10" });
    await client.expect("5");
  });

  test("case 2Q: a MsgType that FIX 4.4 does not have is rejected", async () => {
    const { logOn } = await fixBench();
    const client = await logOn();
    client.send("ZZ");
    expect(await client.expect("3")).toMatchObject({ 371: "35", 372: "ZZ", 373: "11" });
    await client.sync();
  });

  test("case 2R: a MsgType that the port does not take is rejected as business", async () => {
    const { logOn } = await fixBench();
    const client = await logOn();
    client.send("H", [[11, "A"]]);
    expect(await client.expect("j")).toMatchObject({ 45: "2", 372: "H", 380: "3" });
    await client.sync();
  });

  test("a message without MsgSeqNum ends the session with a Logout", async () => {
    const { logOn } = await fixBench();
    const client = await logOn();
    client.sendBytes(
      frame(
        print([
          [35, "0"],
          [49, "FIXCLIENT1"],
          [56, "ENGINE"],
          [52, timestamp()],
        ]),
      ),
    );
    expect((await client.expect("5"))[58]).toBe("MsgSeqNum missing");
    await client.expectEnd();
  });

  test("case 7: Rejects are counted and not replied to", async () => {
    const { logOn } = await fixBench();
    const client = await logOn();
    client.send("3", [[45, 1]]);
    client.send("j", [
      [45, 1],
      [372, "8"],
      [380, 0],
    ]);
    await client.sync();
  });

  test("case 13B: a Logout is replied to, and the connection ended", async () => {
    const { logOn, engine } = await fixBench();
    const client = await logOn();
    client.send("5");
    await client.expect("5");
    await client.expectEnd();
    const session = { status: "Disconnected", inboundSequence: 3, outboundSequence: 3, localPort: null };
    expect(engine.getFixSession(FIXCLIENT1)).toMatchObject(session);
  });

  test.each([
    ["14B: a required field that is missing", "1", [], { 371: "112", 373: "1" }],
    ["14D: a field without a value", "1", [[112, ""]], { 371: "112", 373: "4" }],
    [
      "14A: a tag that is no number",
      "1",
      [
        [112, "A"],
        [0, "x"],
      ],
      { 371: "0", 373: "0" },
    ],
    [
      "14F: a number that is none",
      "2",
      [
        [7, "x"],
        [16, 0],
      ],
      { 371: "7", 373: "6" },
    ],
    [
      "14H: a field that stands twice",
      "1",
      [
        [112, "A"],
        [112, "B"],
      ],
      { 371: "112", 373: "13" },
    ],
  ] as const)("case %s is rejected, and the session continues", async (_, type, fields, expected) => {
    const { logOn } = await fixBench();
    const client = await logOn();
    client.send(type, fields as never);
    expect(await client.expect("3")).toMatchObject({ 45: "2", 372: type, ...expected });
    await client.sync();
  });

  test("a Logon in the middle of a session that resets nothing is rejected, and the session logged out", async () => {
    const { logOn } = await fixBench();
    const client = await logOn();
    client.logon();
    expect(await client.expect("3")).toMatchObject({ 372: "A", 373: "99" });
    await client.expect("5");
  });
});
