import { DEFAULT_CAPACITIES, DEFAULT_LARGE_REPLIES, DEFAULT_USER_SHARE } from "../../core/engine/engine-link.ts";
import { setting } from "../setting.ts";
import { duration, wholeNumber } from "../values.ts";

const CAPACITY = wholeNumber(1, 1_000_000);

/** What each kind of operation may take up (decision D-LANE 1). */
export const laneSettings = {
  "admin.lanes.stop.capacity": setting(
    CAPACITY,
    `${DEFAULT_CAPACITIES.stop}`,
    "Stopping operations (halt, disable, disconnect) that may be in flight concurrently; no other operation takes their place.",
  ),
  "admin.lanes.change.capacity": setting(
    CAPACITY,
    `${DEFAULT_CAPACITIES.change}`,
    "Resuming, enabling, risk updates and adjustments that may be in flight concurrently.",
  ),
  "admin.lanes.read.capacity": setting(
    CAPACITY,
    `${DEFAULT_CAPACITIES.read}`,
    "Reads that may be in flight concurrently. Further ones are rejected with 429.",
  ),
  "admin.lanes.user-share": setting(
    wholeNumber(1, 100),
    `${DEFAULT_USER_SHARE * 100}`,
    "Part of each capacity, in percent, that one user may have.",
  ),
  "admin.lanes.read.turn": setting(
    duration("1ms", "1h"),
    "1ms",
    "Time that reads, and all other work that is not a stop, may take together before newly arrived requests are looked at.",
  ),
  "admin.lanes.read.max-large": setting(
    CAPACITY,
    `${DEFAULT_LARGE_REPLIES}`,
    "Responses with more than 250 rows that may be in progress concurrently, from the request to the last row. Further ones wait for a second " +
      "at most and are then rejected with 429.",
  ),
};
