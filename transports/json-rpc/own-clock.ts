import { type Clock, steadyClock } from "../../src/core/clock.ts";
import { arrived, type EngineReply, type EngineRequest, type ReplyTime } from "../../src/core/engine/transport.ts";
import type { EngineHandler } from "../../src/engine/serve.ts";
import { replyTime } from "./replies.ts";

/** Nothing shows when a change arrived, nor which stops came in between. */
const OF_ANOTHER_CLOCK: EngineReply = {
  ok: false,
  refusal: "unavailable",
  message: "The engine has started again since this change was sent to it; nothing was changed",
};

/**
 * The clock that an engine's end tells and judges times by, from its start on (decision D-ENG 27). Nobody can set it, and with each start there is
 * a new one, which may show another time: times by a former one say nothing.
 */
export class OwnClock {
  readonly clock: Clock;
  readonly #name: string;

  /** `name` is one that no former clock had; ends that have one state and clocks that agree share it. */
  constructor(clock: Clock, name: string) {
    this.clock = steadyClock(clock);
    this.#name = name;
  }

  /** Hands over a request that has just arrived; a stop whose times are of a former clock counts from its receipt. */
  async hand(request: EngineRequest, handler: EngineHandler): Promise<EngineReply> {
    const { lane, context } = request;
    if (context.clock === undefined || context.clock === this.#name) return handler(arrived(request, this.clock));
    if (lane === "change") return OF_ANOTHER_CLOCK;
    const { arrived: _, arrivedWithin: __, ...untimed } = context;
    return handler(arrived({ ...request, context: untimed }, this.clock));
  }

  told(request: EngineRequest): ReplyTime | undefined {
    return replyTime(request, this.clock, this.#name);
  }
}
