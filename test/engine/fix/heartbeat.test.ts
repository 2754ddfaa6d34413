import { describe, expect, test } from "vitest";
import { FIXCLIENT1, fixBench } from "./fixture.ts";

describe("heartbeats of a FIX session", () => {
  test("case 4A: a Heartbeat is sent when nothing was sent for HeartBtInt", async () => {
    const { logOn, clock } = await fixBench();
    const client = await logOn("FIXCLIENT1", 1, [[108, 10]]);
    clock.advance(6_000);
    await client.sync();
    clock.advance(9_000);
    await client.sync();
    clock.advance(10_000);
    expect((await client.expect("0"))[112]).toBeUndefined();
    client.send("0");
    await client.sync();
  });

  test("case 4B: a Test Request is replied to with its TestReqID", async () => {
    const { logOn } = await fixBench();
    const client = await logOn();
    client.send("1", [[112, "are you there"]]);
    expect(await client.expect("0")).toMatchObject({ 112: "are you there" });
  });

  test("case 6: a silent peer is sent a Test Request, and dropped when it does not reply", async () => {
    const { logOn, clock, engine } = await fixBench();
    const client = await logOn("FIXCLIENT1", 1, [[108, 10]]);
    clock.advance(12_000);
    await client.expect("0");
    expect((await client.expect("1"))[112]).toBeTruthy();
    clock.advance(11_000);
    await client.expect("0");
    expect(engine.getFixSession(FIXCLIENT1).status).toBe("Connected");
    clock.advance(1_000);
    await client.expectEnd();
    expect(engine.getFixSession(FIXCLIENT1).status).toBe("Disconnected");
  });

  test("case 6: a peer that replies to the Test Request stays", async () => {
    const { logOn, clock, engine } = await fixBench();
    const client = await logOn("FIXCLIENT1", 1, [[108, 10]]);
    clock.advance(12_000);
    await client.expect("0");
    const request = await client.expect("1");
    client.send("0", [[112, request[112] ?? ""]]);
    await client.sync();
    clock.advance(11_000);
    expect(engine.getFixSession(FIXCLIENT1).status).toBe("Connected");
  });

  test("garbled bytes are not a sign of life", async () => {
    const { logOn, clock } = await fixBench();
    const client = await logOn("FIXCLIENT1", 1, [[108, 10]]);
    for (let count = 0; count < 24; count += 1) {
      client.sendBytes("8=FIX.4.4\x01");
      clock.advance(1_000);
    }
    for (let type = "0"; type !== undefined; type = (await client.nextMessage())?.[35] as string) {
      expect(["0", "1"]).toContain(type);
    }
  });

  test("HeartBtInt 0 asks for no heartbeats", async () => {
    const { logOn, clock } = await fixBench();
    const client = await logOn("FIXCLIENT1", 1, [[108, 0]]);
    clock.advance(3_600_000);
    await client.sync();
  });

  test("a session without a connection leaves no timer behind", async () => {
    const { logOn, clock } = await fixBench();
    const client = await logOn();
    client.send("5");
    await client.expect("5");
    await client.expectEnd();
    client.close();
    await expect.poll(() => clock.pending).toBe(0);
  });
});
