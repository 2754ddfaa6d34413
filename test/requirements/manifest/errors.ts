import { assemble, under } from "./requirement.ts";

const events = under("Events", {
  "EVENTS-NONE": {
    source: ["The API sends no event stream or callbacks to clients:"],
    behavior: "a response is complete immediately, also for somebody who asks for an event stream",
  },
  "EVENTS-LAST-REASON": {
    source: ["the trading status carries the reason of the last kill switch event,"],
    behavior: "after several halts and resumes the status carries the last reason",
  },
  "EVENTS-LOGGED": {
    source: ["and each mutating operation is written to the monitor log with the user's name."],
    behavior: "the monitor log of a gateway holds a line for each mutating operation, with the user's name",
  },
});

const errors = under("Errors", {
  "ERR-BODY": {
    source: [
      "Error responses (except 401) have a JSON body with `status` (integer HTTP status), `error` (string, the status phrase) and `message` (string, human-readable cause).",
    ],
    behavior: "every error has exactly status, error and message",
  },
  "ERR-400-MALFORMED": {
    source: ["| 400 | Malformed or invalid request:"],
    behavior: "a body that is not JSON, no object or of the wrong type is answered 400",
  },
  "ERR-400-MISSING-FIELD": {
    source: ["missing required field,"],
    behavior: "each required field that is missing is named",
  },
  "ERR-400-DECIMAL": {
    source: ["invalid decimal,"],
    behavior: "what is not a decimal is answered 400 and named",
  },
  "ERR-400-PROJECTION-KEY": {
    source: ["unknown projection key (message names the key),"],
    behavior: "an unknown projection key is named wherever one is given",
  },
  "ERR-400-EMPTY-COMMANDS": {
    source: ["empty `commands`,"],
    behavior: "empty commands are answered 400 and do not reach the engine",
  },
  "ERR-400-REJECTED": {
    source: ["or risk update rejected by the engine (message holds the reason) |"],
    behavior: "the message of a rejected update is the engine's reason",
  },
  "ERR-401": {
    source: ["| 401 | Missing,", "or invalid credentials; produced by the security layer and has no JSON body |"],
    behavior: "missing and invalid credentials are answered 401 without a body, before anything else is looked at",
  },
  "ERR-401-EXPIRED": {
    source: ["expired"],
    behavior: "an expired token is answered 401 without a body",
  },
  "ERR-403": {
    source: ["| 403 | Authenticated user lacks the required permission; message names it |"],
    behavior: "who lacks a permission is answered 403 with its name",
  },
  "ERR-404": {
    source: ["| 404 | Unknown service, FIX gateway or FIX session |"],
    behavior: "an unknown service, gateway or session is answered 404 and named",
  },
  "ERR-429": {
    source: ["| 429 | The engine message bus is overloaded; retry later |"],
    behavior: "a full bus is answered 429, and the same request passes later",
  },
  "ERR-500": {
    source: ["| 500 | Unexpected failure; details are in the monitor log |"],
    behavior: "a failure is answered 500; its details are in the log and not in the response",
  },
  "ERR-503": {
    source: ["| 503 | The engine message bus is not available |"],
    behavior: "without an engine on the bus the response is 503, and nothing is sent when it comes back",
  },
  "ERR-504-TIMEOUT": {
    source: ["| 504 | The engine did not respond within 10 seconds |"],
    behavior: "an engine that hangs is answered 504 after 10 seconds",
  },
});

const limits = under("Limits", {
  "LIMIT-ENGINE-WAIT": {
    source: ["| Engine response wait | 10 seconds, then 504 | every operation |"],
    behavior: "each operation gives up after 10 seconds with 504",
  },
  "LIMIT-NO-RETRIES": {
    source: ["| Retries | none performed by the server | mutating operations |"],
    behavior: "no mutation is sent twice after 429, 500, 503 or 504",
  },
  "LIMIT-OVERLOAD": {
    source: ["| Overload | 429 when the message bus is overloaded | every operation |"],
    behavior: "each operation is answered 429 when the bus is full",
  },
  "LIMIT-COMMANDS": {
    source: ["| `commands` in a risk update | at least one command | `POST /risk/update` |"],
    behavior: "no command is refused and one is enough",
  },
});

const versioning = under("Versioning", {
  "VERSION-IN-PATH": {
    source: ["The version is carried in the base path as `v1` (`/api/admin/v1`)."],
    behavior: "v1 in the path is answered; no version and other versions are not",
  },
});

/** Events, errors, limits and versioning. */
export const errorsAndLimits = assemble(events, errors, limits, versioning);
