import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { EngineWatch } from "../../transports/link/engine-watch.ts";
import { EnginePresence } from "../../transports/nats/engine-presence.ts";

/** Longer than "no responders" waits to be confirmed, shorter than a round. */
const CONFIRMED_MS = 1_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A presence, and the subjects that it publishes to. */
function watched() {
  const published: string[] = [];
  const now = () => Date.now();
  const way = { subject: "read", now, isConnected: () => true, probe: () => "{}", restarted: () => {} };
  const presence = new EnginePresence(way, new EngineWatch(() => {}));
  presence.connected((subject) => published.push(subject));
  const probes = () => published.filter((subject) => subject === "read").length;
  return { presence, probes, now };
}

describe('D-LINK 15: after a first "no responders"', () => {
  test("the engine is sent a read, which shows whether one listens", () => {
    const { presence, probes, now } = watched();
    presence.missed(now());
    vi.advanceTimersByTime(CONFIRMED_MS);
    expect(probes()).toBe(1);
  });

  test("but not where a request has had its reply since: the engine's place is for callers", () => {
    const { presence, probes, now } = watched();
    presence.missed(now());
    presence.replied(now());
    vi.advanceTimersByTime(CONFIRMED_MS);
    expect(probes()).toBe(0);
  });

  test("and the reply to an earlier request is not a sign of it", () => {
    const { presence, probes, now } = watched();
    const sentAt = now();
    vi.advanceTimersByTime(10);
    presence.missed(now());
    presence.replied(sentAt);
    vi.advanceTimersByTime(CONFIRMED_MS);
    expect(probes()).toBe(1);
  });
});
