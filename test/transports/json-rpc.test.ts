import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { EngineReply, EngineRequest } from "../../src/core/engine/transport.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { REFUSAL_CODES } from "../../transports/json-rpc/contract.ts";
import { decodeReply, encodeReply, replyBody, replyTime } from "../../transports/json-rpc/replies.ts";
import {
  decodeParams,
  encodeParams,
  encodeRequest,
  MessageFault,
  parseMessage,
  readRequest,
} from "../../transports/json-rpc/requests.ts";

const REQUEST: EngineRequest = {
  method: "haltTrading",
  input: { projectionPath: "", reason: "drill", cancelOrders: false },
  lane: "stop",
  context: { user: "alice", requestId: "r-1", deadline: 1_800_000_000_000, timeLeft: 10_000, traceparent: undefined },
};

function readAll(text: string): EngineRequest {
  const { method, params } = readRequest(parseMessage(text));
  return decodeParams(method, params);
}

function faultOf(run: () => unknown): MessageFault {
  try {
    run();
  } catch (error) {
    if (error instanceof MessageFault) return error;
  }
  throw new Error("no MessageFault was thrown");
}

describe("D-PKG 6: requests of the bus contract", () => {
  test("are read as they were written, with the lane found in the operation table", () => {
    const { id, method, params } = readRequest(parseMessage(encodeRequest(7, REQUEST)));
    expect(id).toBe(7);
    expect(decodeParams(method, params)).toEqual(REQUEST);
    expect(decodeParams(method, parseMessage(encodeParams(REQUEST)))).toEqual(REQUEST);
  });

  test("D-LINK 9: have the deadline by the engine's clock", () => {
    const clock = (correctionMs: number) => ({ correctionMs, arrival: () => undefined });
    const { params } = readRequest(parseMessage(encodeRequest(7, REQUEST, clock(-3_000))));
    const { deadline } = REQUEST.context;
    expect(decodeParams("haltTrading", params).context).toEqual({ ...REQUEST.context, deadline: deadline - 3_000 });
    expect(parseMessage(encodeParams(REQUEST, clock(3_000)))).toMatchObject({
      context: { deadline: deadline + 3_000 },
    });
  });

  test("D-ENG 21: have the arrival of a command by the engine's clock, and how far it may be off", () => {
    const clock = { correctionMs: 0, arrival: (at: number) => ({ arrived: at + 0.25, arrivedWithin: 1.5 }) };
    const { params } = readRequest(parseMessage(encodeRequest(7, { ...REQUEST, arrival: 12 }, clock)));
    expect(decodeParams("haltTrading", params).context).toMatchObject({ arrived: 12.25, arrivedWithin: 1.5 });
    expect(parseMessage(encodeParams(REQUEST, clock))).not.toHaveProperty("context.arrived");
  });

  test.each([
    ["no JSON", -32700, () => parseMessage("{")],
    ["a notification", -32600, () => readRequest({ jsonrpc: "2.0", method: "haltTrading", params: {} })],
    ["another version", -32600, () => readRequest({ jsonrpc: "1.0", id: 1, method: "haltTrading" })],
    ["a batch", -32600, () => readRequest([])],
    ["an unknown method", -32601, () => decodeParams("toString", {})],
    ["a request without params", -32602, () => readAll('{"jsonrpc":"2.0","id":1,"method":"haltTrading"}')],
    ["params without context", -32602, () => decodeParams("haltTrading", { input: {} })],
    [
      "a time left that is text",
      -32602,
      () => decodeParams("haltTrading", { input: {}, context: { ...REQUEST.context, timeLeft: "long" } }),
    ],
    [
      "a deadline that is text",
      -32602,
      () => decodeParams("haltTrading", { input: {}, context: { user: "a", requestId: "b", deadline: "soon" } }),
    ],
  ])("such as %s are refused with code %i", (_name, code, run) => {
    expect(faultOf(run).code).toBe(code);
  });
});

describe("D-PKG 6: replies of the bus contract", () => {
  const replies: fc.Arbitrary<EngineReply> = fc.oneof(
    fc.record({ ok: fc.constant(true as const), result: fc.jsonValue() }),
    fc.record({
      ok: fc.constant(false as const),
      refusal: fc.constantFrom(...(Object.keys(REFUSAL_CODES) as (keyof typeof REFUSAL_CODES)[])),
      message: fc.string(),
    }),
  );

  test("are read as they were written", () => {
    fc.assert(
      fc.property(replies, (reply) => {
        const message = parseMessage(encodeReply(1, replyBody(reply)));
        expect(decodeReply(message)).toEqual(parseMessage(JSON.stringify(reply)));
      }),
    );
  });

  test.each([[undefined], [1.5], ["10"], [null]])("have no time in %j", (now) => {
    expect(decodeReply({ now, result: null })).toEqual({ ok: true, result: null });
  });

  test("D-LINK 10: have the engine's time only if the request had the time left: JSON-RPC has no such member", () => {
    const clock = new ManualClock();
    expect(parseMessage(encodeReply(1, { result: null }, replyTime(REQUEST, clock)))).toEqual({
      jsonrpc: "2.0",
      id: 1,
      now: clock.now(),
      result: null,
    });
    const old = { ...REQUEST, context: { ...REQUEST.context, timeLeft: undefined } };
    expect(Object.keys(parseMessage(encodeReply(1, { result: null }, replyTime(old, clock))) as object)).toEqual([
      "jsonrpc",
      "id",
      "result",
    ]);
  });

  test("say nothing of the outcome with a code outside the contract", () => {
    const reply = decodeReply({ error: { code: -32099, message: "what?" } });
    expect(reply).toEqual({ ok: false, refusal: "internal", message: "what?" });
  });

  test.each([-32_700, -32_600, -32_602])("D-ENG 30: %i is certain: the message was not understood", (code) => {
    const reply = decodeReply({ error: { code, message: "what?" } });
    expect(reply).toEqual({ ok: false, refusal: "not-understood", message: "what?" });
  });

  test.each([
    [null],
    ["text"],
    [[]],
    [{}],
    [{ result: 1, error: { code: 1, message: "" } }],
    [{ error: { code: "1", message: "" } }],
    [{ error: { code: 1 } }],
    [{ error: null }],
  ])("are not such as %j", (message) => {
    expect(decodeReply(message)).toBeUndefined();
  });
});
