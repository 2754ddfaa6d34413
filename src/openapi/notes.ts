import type { Lane, Tag } from "../core/operations/operation.ts";

/** Texts of the document beyond the operation table, in the words of the specification. */

const RULES = [
  "Every request carries credentials; the API uses neither cookies nor sessions. Reads need any authenticated user, mutations the " +
    "permission in `x-permission`.",
  "Decimal values travel as JSON strings, so that no digit is lost. An absent value is `null`.",
  "An optional field of a request that is `null` counts as omitted. Unknown fields and parameters are refused and named, unless " +
    "the installation ignores them.",
  "A `/` in a name within a path is sent as `%2F`; names may hold blanks and any other character.",
  "The engine is given 10 seconds for each request. The server never repeats a mutation. 429 and 503 mean that nothing was sent " +
    "to the engine; 504 on a mutation means that it may have been applied: re-read the state before any retry. `X-Admin-Outcome` on " +
    "the response to a mutation says which of the three is true: `applied`, `not-applied` or `unknown`.",
  "`x-lane` says how an operation is treated under load: `stop` keeps working when others are shed, `change` is refused when it " +
    "cannot be recorded, `read` is shed first. `x-retry` says whether a client may repeat a request on its own. " +
    "`x-extension` marks what is beyond the specification; an installation may be without.",
  "`HEAD` works where `GET` does. Other methods get 405 with `Allow`.",
  "Every mutation is recorded with the user's name. Use the API over TLS.",
];

export const ABOUT: string =
  "Administrative API of a trading engine, for operators and automation scripts: halt and resume trading, read and change risk " +
  "limits, query and adjust positions, enable and disable services, inspect and control FIX sessions.\n\n" +
  RULES.map((rule) => `- ${rule}`).join("\n");

export const TAG_NOTES: Readonly<Record<Tag, string>> = {
  Trading: "Halt and resume trading, system-wide or at a node of the position/risk tree.",
  Risk: "Read and change risk limit tables.",
  Positions: "Query and adjust positions.",
  Services: "List, enable and disable trade connectors and algorithms.",
  Engine: "What the engine is and has.",
  FIX: "Inspect FIX gateways and FIX sessions; enable, disable or disconnect sessions.",
  Access: "Who the caller is, and what they may do.",
};

export const LANE_NOTES: Readonly<Record<Lane, string>> = {
  stop: "Stopping is never refused because a record cannot be kept, and has its own capacity.",
  change: "Refused with 500, and not sent, when it cannot be recorded.",
  read: "Changes nothing; may be repeated.",
};
