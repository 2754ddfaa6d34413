import { functionLike, objectWith } from "../../src/core/options.ts";

/** What links to the engine of every kind take. */
export const ON_EVENT = functionLike("({ message }) => console.warn(message)");
export const ENGINE_CLOCK = objectWith("isKnown", "new EngineClock(onEvent)");
export const ENGINE_WATCH = objectWith("found", "new EngineWatch(onEvent)");
