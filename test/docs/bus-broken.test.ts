import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { OperationName } from "../../src/core/operations/table.ts";
import { decimalOrNaN, decimalString } from "../../src/core/values/decimal.ts";
import { cases } from "../support/extent.ts";
import { committedValidator } from "./bus-validators.ts";

const session = { gateway: "OE1", session: "FIXCLIENT1" };
const adjustment = { projectionPath: "", size: "1", relative: false };

const BROKEN_INPUTS: readonly (readonly [OperationName, string, unknown])[] = [
  ["haltTrading", "a default that was not filled in", { projectionPath: "", reason: "x" }],
  ["haltTrading", "a flag that is text", { projectionPath: "", reason: "x", cancelOrders: "true" }],
  ["haltTrading", "a mistyped field", { projectionPath: "", reason: "x", cancelOrders: false, cancelorders: true }],
  ["getFixSession", "an input that is a list", Object.values(session)],
  ["disableFixSession", "a reason where there is none", { ...session, reason: "x" }],
  ["adjustPosition", "a size that is a number", { ...adjustment, size: 1 }],
  ["adjustPosition", "a size with an exponent", { ...adjustment, size: "1e3" }],
  ["adjustPosition", "a size that is NaN", { ...adjustment, size: "NaN" }],
  ["updateRiskTable", "no command", { projection: "", commands: [] }],
  ["updateRiskTable", "an unknown type of command", { projection: "", commands: [{ type: "SET", conditions: {} }] }],
];

const detail = {
  gatewayName: "OE1",
  gatewayType: "OrderEntry",
  updateTimestamp: 1,
  sessions: 1,
  acceptedConnections: 0,
  rejectedConnections: 0,
  messagesSent: 0,
  messagesReceived: 0,
  bytesSent: 0,
  bytesReceived: 0,
};

const BROKEN_RESULTS: readonly (readonly [OperationName, string, unknown])[] = [
  ["haltTrading", "an object where the response is empty", {}],
  ["getTradingStatus", "a reason that is absent", { projectionPath: "", halted: false }],
  ["getFixGateway", "a long that is text", { ...detail, bytesSent: "12" }],
  ["getFixGateway", "a long that is a fraction", { ...detail, bytesSent: 1.5 }],
  ["getFixGateway", "a long that JSON numbers cannot hold exactly", { ...detail, bytesSent: 2 ** 53 }],
  ["getFixGateway", "a kind of gateway that does not exist", { ...detail, gatewayType: "Web" }],
  ["getRiskTable", "a limit that is a number", { projection: "", rows: [{ conditions: {}, limits: { Max: 5 } }] }],
  ["listPositions", "a position without its projection", [{ size: "1" }]],
];

const request = {
  jsonrpc: "2.0",
  id: 1,
  method: "listServices",
  params: { input: {}, context: { user: "operator", requestId: "r-1", deadline: 1_767_605_400_000 } },
};

const status = { jsonrpc: "2.0", method: "engine.status", params: { overloaded: true } };

const BROKEN_MESSAGES: readonly (readonly [string, string, unknown])[] = [
  ["request", "no id", { ...request, id: undefined }],
  ["request", "an id of null", { ...request, id: null }],
  ["request", "another version of JSON-RPC", { ...request, jsonrpc: "1.0" }],
  ["request", "a method that does not exist", { ...request, method: "stopTrading" }],
  ["request", "positional params", { ...request, params: [{}, {}] }],
  ["params", "no deadline", { input: {}, context: { user: "operator", requestId: "r-1" } }],
  ["params", "a deadline that is text", { input: {}, context: { ...request.params.context, deadline: "soon" } }],
  ["reply", "neither result nor error", { jsonrpc: "2.0", id: 1 }],
  ["reply", "both result and error", { jsonrpc: "2.0", id: 1, result: null, error: { code: -32001, message: "x" } }],
  ["reply", "a result without an id", { jsonrpc: "2.0", id: null, result: null }],
  ["reply-payload", "an error without a message", { error: { code: -32001 } }],
  ["reply-payload", "an error code that is text", { error: { code: "-32001", message: "x" } }],
  ["engine.status", "an id", { ...status, id: 1 }],
  ["engine.status", "no word on the load", { ...status, params: {} }],
];

/** A value as it is after it went over the wire. */
function onTheWire(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

describe("D-PKG 6: the schemas refuse what the contract does not allow", () => {
  it.each(BROKEN_INPUTS)("in the input of %s: %s", (name, _, value) => {
    expect(committedValidator(`${name}.input`)(value)).toBe(false);
  });

  it.each(BROKEN_RESULTS)("in the result of %s: %s", (name, _, value) => {
    expect(committedValidator(`${name}.result`)(value)).toBe(false);
  });

  it.each(BROKEN_MESSAGES)("in a message: %s: %s", (name, _, value) => {
    expect(committedValidator(name)(onTheWire(value))).toBe(false);
  });

  it("unlike the unbroken messages that these were made from", () => {
    expect(committedValidator("request")(request)).toBe(true);
    expect(committedValidator("getFixGateway.result")(detail)).toBe(true);
    expect(committedValidator("adjustPosition.input")(adjustment)).toBe(true);
    expect(committedValidator("engine.status")(status)).toBe(true);
  });
});

describe("D-VAL 1: the published pattern of decimals is the rule of the table", () => {
  const nearDecimals = fc.oneof(
    fc.stringMatching(/^[+-]?\d{0,5}\.?\d{0,3}[eE]?\d?$/),
    fc.stringMatching(/^[+-]?\d{60,66}(\.\d)?$/),
    fc.constantFrom("NaN", "nan", "Infinity", "-NaN", "", " 1", "1\n", "٣", "0x1", "1_000", "+.5", "5."),
    fc.string({ maxLength: 6 }),
  );

  it("in the schema for decimals", () => {
    const input = committedValidator("adjustPosition.input");
    fc.assert(
      fc.property(nearDecimals, (size) => input({ ...adjustment, size }) === decimalString().safeParse(size).success),
      { numRuns: cases(2000) },
    );
  });

  it("in the schema for decimals or NaN", () => {
    const input = committedValidator("adjustPosition.input");
    fc.assert(
      fc.property(
        nearDecimals,
        (averageCost) => input({ ...adjustment, averageCost }) === decimalOrNaN().safeParse(averageCost).success,
      ),
      { numRuns: cases(2000) },
    );
  });
});
