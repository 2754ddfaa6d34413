import { beforeEach, describe, expect, it } from "vitest";
import { HELD_FOR_STOPS_BYTES, heldBytesQuota, memoryLimitExceeded } from "../../src/core/load/held-bytes.ts";
import type { Quota } from "../../src/core/load/quota.ts";

const MEGABYTE = 1024 * 1024;

let held: Quota;

beforeEach(() => {
  held = heldBytesQuota();
});

describe("bodies that are arriving, and answers that are not taken yet", () => {
  it("may be 32 MB of one user, and 4 MB more for stops", () => {
    held.take("mallory", 31 * MEGABYTE);
    expect([held.hasRoom("mallory", MEGABYTE), held.hasRoom("mallory", MEGABYTE + 1)]).toEqual([true, false]);
    expect([hasRoomForStop("mallory", 5 * MEGABYTE), hasRoomForStop("mallory", 5 * MEGABYTE + 1)]).toEqual([
      true,
      false,
    ]);
    expect(held.hasRoom("alice", 32 * MEGABYTE)).toBe(true);
  });

  it("may be 64 MB of all users, and 4 MB more for stops", () => {
    held.take("mallory", 32 * MEGABYTE);
    held.take("eve", 31 * MEGABYTE);
    expect([held.hasRoom("alice", MEGABYTE), held.hasRoom("alice", MEGABYTE + 1)]).toEqual([true, false]);
    expect([hasRoomForStop("alice", 5 * MEGABYTE), hasRoomForStop("alice", 5 * MEGABYTE + 1)]).toEqual([true, false]);
  });

  it("leave room for one small request of everyone, however full they are", () => {
    for (const user of ["mallory", "eve"]) held.take(user, 32 * MEGABYTE);
    expect([held.hasRoom("alice", 4_096), held.hasRoom("alice", 4_097)]).toEqual([true, false]);
    held.take("alice", 4_096);
    expect(held.hasRoom("alice", 1)).toBe(false);
  });

  it("make room when they are let go, for their user and for all", () => {
    held.take("mallory", 32 * MEGABYTE);
    held.release("mallory", MEGABYTE);
    expect(held.hasRoom("mallory", MEGABYTE + 1)).toBe(false);
    held.take("mallory", MEGABYTE);
    held.take("eve", 32 * MEGABYTE);
    held.release("mallory", MEGABYTE);
    expect([held.hasRoom("mallory", MEGABYTE), held.hasRoom("alice", MEGABYTE)]).toEqual([true, true]);
    expect([held.hasRoom("mallory", MEGABYTE + 1), held.hasRoom("eve", 1)]).toEqual([false, false]);
    held.release("mallory", 31 * MEGABYTE);
    expect(held.hasRoom("mallory", 32 * MEGABYTE)).toBe(true);
  });

  it("are refused beyond that as not sent", () => {
    expect(memoryLimitExceeded("responses")).toMatchObject({ code: "ENGINE_OVERLOADED", outcome: "not-sent" });
    expect(memoryLimitExceeded("bodies").message).toMatch(/^Too many large bodies are in progress; nothing was sent/);
  });
});

function hasRoomForStop(user: string, bytes: number): boolean {
  return held.hasRoom(user, bytes, HELD_FOR_STOPS_BYTES);
}
