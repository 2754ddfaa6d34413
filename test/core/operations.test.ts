import { describe, expect, it } from "vitest";
import type { z } from "zod";
import { type OperationName, operationNames, operationRecord, operations } from "../../src/core/operations/table.ts";

const records = operationNames.map((name) => ({ name, ...operationRecord(operations, name) }));

describe("the operation table", () => {
  it("holds the 18 operations of the specification", () => {
    expect(records.map(({ name, method, path, permission, lane }) => [name, method, path, permission, lane])).toEqual([
      ["getTradingStatus", "GET", "/trading/status", null, "read"],
      ["haltTrading", "POST", "/trading/halt", "HALT_RESUME_TRADING", "stop"],
      ["resumeTrading", "POST", "/trading/resume", "HALT_RESUME_TRADING", "change"],
      ["getRiskTable", "GET", "/risk/table", null, "read"],
      ["updateRiskTable", "POST", "/risk/update", "CHANGE_RISK_LIMITS", "change"],
      ["listPositions", "POST", "/positions", null, "read"],
      ["adjustPosition", "POST", "/positions/adjust", "POSITION_ADJUSTMENT", "change"],
      ["listServices", "GET", "/services", null, "read"],
      ["getService", "GET", "/services/{name}", null, "read"],
      ["disableService", "POST", "/services/{name}/disable", "ENABLE_DISABLE_SERVICE", "stop"],
      ["enableService", "POST", "/services/{name}/enable", "ENABLE_DISABLE_SERVICE", "change"],
      ["listFixGateways", "GET", "/fix/gateways", null, "read"],
      ["getFixGateway", "GET", "/fix/gateways/{gateway}", null, "read"],
      ["listFixSessions", "GET", "/fix/gateways/{gateway}/sessions", null, "read"],
      ["getFixSession", "GET", "/fix/gateways/{gateway}/sessions/{session}", null, "read"],
      [
        "disableFixSession",
        "POST",
        "/fix/gateways/{gateway}/sessions/{session}/disable",
        "CONTROL_FIX_SESSION",
        "stop",
      ],
      [
        "enableFixSession",
        "POST",
        "/fix/gateways/{gateway}/sessions/{session}/enable",
        "CONTROL_FIX_SESSION",
        "change",
      ],
      [
        "disconnectFixSession",
        "POST",
        "/fix/gateways/{gateway}/sessions/{session}/disconnect",
        "CONTROL_FIX_SESSION",
        "stop",
      ],
    ]);
  });

  it("D-LANE 1: requires a permission exactly for mutations", () => {
    for (const { name, permission, lane } of records)
      expect([name, permission === null]).toEqual([name, lane === "read"]);
  });

  it("has every path field and every target as a field of the input", () => {
    for (const { path, input, target } of records) {
      const fields = [...path.matchAll(/\{(\w+)\}/g)].map(([, field]) => field);
      expect(Object.keys(input.shape)).toEqual(expect.arrayContaining([...fields, ...target]));
    }
  });

  it("acts on what its path names, else on the node or the projection of its input", () => {
    for (const { name, path, input, target } of records) {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, field]) => field);
      const other = ["projectionPath", "projection"].filter((field) => field in input.shape);
      expect([name, target]).toEqual([name, named.length > 0 ? named : other]);
    }
  });

  const confirmed = records.flatMap(({ confirmedBy, ...command }) =>
    confirmedBy
      ? [{ ...command, ...confirmedBy, reading: operationRecord(operations, confirmedBy.read as OperationName) }]
      : [],
  );

  it("states and transitions: confirms seven commands, each by a read of its target", () => {
    expect(confirmed).toHaveLength(7);
    for (const { name, target, state, reading } of confirmed) {
      expect([name, reading.lane, reading.target]).toEqual([name, "read", target]);
      for (const field of target) expect(state).toContain(`{${field}}`);
    }
  });

  it("states and transitions: confirms by fields that the read has, and by values that they may show", () => {
    for (const { shown, reading } of confirmed) {
      const fields = (reading.output as z.ZodObject).shape;
      for (const { field, ...value } of shown) {
        const [kind, seen] = Object.entries(value)[0] ?? [];
        expect(Object.keys(fields)).toContain(field);
        expect(["is", "isNot", "changed"]).toContain(kind);
        if (kind !== "changed") expect((fields[field] as z.ZodType).parse(seen)).toBe(seen);
      }
    }
  });
});
