import type { AdminApi } from "../../core/admin-api.ts";
import type { Clock } from "../../core/clock.ts";
import type { AdminEvents } from "../../core/events.ts";
import type { Logger } from "../../core/logger.ts";
import { EventLimiter } from "../../core/records/event-limiter.ts";

/** Lines in a minute about equal faults in the replies to one operation: each read of a dashboard has them. */
const MAX_INVALID = 1;

const MANY_PLACES = "The engine's replies break the contract in many different places";

type InvalidReply = AdminEvents["invalidReply"];

/** Writes what is not shown of the engine's replies to the log. The returned function writes what was only counted. */
export function logInvalidReplies(api: AdminApi, log: Logger, clock: Clock): () => Promise<void> {
  const kindOf = ({ operation, message }: InvalidReply): string => `${operation} ${message}`;
  const replies = new EventLimiter<InvalidReply>({
    clock,
    limit: MAX_INVALID,
    groupOf: kindOf,
    kindOf,
    withoutGroup: (reply) => ({ ...reply, message: MANY_PLACES }),
    report: (counted) => {
      for (const { first, count } of counted) {
        const { operation, requestId, message } = first;
        log.warn(`${count} more replies: ${message}`, { requestId, operation, count });
      }
    },
  });
  api.on("invalidReply", (reply) => {
    const { operation, requestId, count, message } = reply;
    if (replies.pass(reply)) log.warn(message, { requestId, operation, fields: count });
  });
  return () => replies.close();
}
