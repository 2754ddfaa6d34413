import { assemble, under } from "./requirement.ts";

const positions = under("Positions", {
  "POSITIONS-ENDPOINT": {
    source: ["| POST `/positions` | none (read-only despite POST) |"],
    behavior: "POST /positions answers any authenticated user and changes and records nothing",
  },
  "POSITIONS-PROJECTION": {
    source: [
      "body: `projection` (string, required; a position projection configured in the engine, for example `Exchange/Symbol`);",
    ],
    behavior: "projection is a required string, and one that the engine is configured with",
  },
  "POSITIONS-FILTERS": {
    source: [
      "optional string filters `source`, `destination`, `account`, `traderId`, `traderGroup`, `exchange`, `userData`, `symbol`, `moduleKey`, `portfolioKey`.",
    ],
    behavior: "each of the ten filters is optional, a string, and selects by its key",
  },
  "POSITIONS-NARROW": {
    source: ["Each given filter narrows the result."],
    behavior: "positions that one of several filters does not match are left out",
  },
  "POSITIONS-SYMBOL-FILTER": {
    source: ["`symbol` also matches Currency and RootSymbol projections |"],
    behavior: "symbol filters by Currency and RootSymbol in projections that hold these",
  },
  "POSITIONS-ANSWER": {
    source: ["200: array of position |"],
    behavior: "the response is an array of positions, empty when there is none",
  },
  "ADJUST-ENDPOINT": {
    source: ["| POST `/positions/adjust` | POSITION_ADJUSTMENT |"],
    behavior: "POST /positions/adjust answers those with POSITION_ADJUSTMENT only",
  },
  "ADJUST-PATH": {
    source: ["body: `projectionPath` (string, required; empty = root)"],
    behavior: "projectionPath of an adjustment is a required string; the engine is asked for the root when it is empty",
  },
  "ADJUST-SIZE": {
    source: ["`size` (decimal string, required; new value, or the change when `relative` is true)"],
    behavior: "size is a required decimal string: the new value, or the change when relative is true",
  },
  "ADJUST-RELATIVE": {
    source: ["`relative` (boolean, optional; default false; true = add to current value, false = replace)"],
    behavior: "relative is a boolean, false when omitted: true adds, false replaces",
  },
  "ADJUST-AVERAGE-COST": {
    source: ["`averageCost` (decimal string, optional; `NaN` stops tracking average cost)"],
    behavior: "averageCost is an optional decimal string that sets the value; NaN makes it null",
  },
  "ADJUST-REALIZED": {
    source: ["`realizedPnL` (decimal string, optional; `NaN` stops tracking realized PnL)"],
    behavior: "realizedPnL is an optional decimal string that sets the value; NaN makes it null",
  },
  "ADJUST-ANSWER": {
    source: ["| 200 empty body."],
    behavior: "an adjustment is answered 200 without content",
  },
  "ADJUST-INVALID-DECIMAL": {
    source: ["An invalid decimal gives 400 |"],
    behavior: "an invalid decimal in any of the three fields is answered 400 and changes nothing",
  },
  "POSITIONS-ALL-SOURCES": {
    source: ["Positions are returned across all order sources."],
    behavior: "whoever asks sees the positions of every source",
  },
});

const fix = under("FIX gateways and sessions", {
  "FIX-GATEWAYS-LIST": {
    source: ["| GET `/fix/gateways` | none | 200: array of gateway (list form) |"],
    behavior: "GET /fix/gateways answers any authenticated user with all gateways in list form",
  },
  "FIX-GATEWAYS-GET": {
    source: ["| GET `/fix/gateways/{gateway}` | none | 200: gateway, detail form |"],
    behavior: "GET /fix/gateways/{gateway} answers any authenticated user with the detail form",
  },
  "FIX-SESSIONS-LIST": {
    source: ["| GET `/fix/gateways/{gateway}/sessions` | none | 200: array of session (list form) |"],
    behavior: "GET of a gateway's sessions answers any authenticated user with all of them in list form",
  },
  "FIX-SESSIONS-GET": {
    source: ["| GET `/fix/gateways/{gateway}/sessions/{session}` | none | 200: session, detail form |"],
    behavior: "GET of a session answers any authenticated user with the detail form",
  },
  "FIX-SESSIONS-DISABLE": {
    source: [
      "| POST `/fix/gateways/{gateway}/sessions/{session}/disable` | CONTROL_FIX_SESSION | 200: updated session, detail form |",
    ],
    behavior: "disable answers those with CONTROL_FIX_SESSION only, with the updated session in detail form",
  },
  "FIX-SESSIONS-ENABLE": {
    source: [
      "| POST `/fix/gateways/{gateway}/sessions/{session}/enable` | CONTROL_FIX_SESSION | 200: updated session, detail form |",
    ],
    behavior: "enable answers those with CONTROL_FIX_SESSION only, with the updated session in detail form",
  },
  "FIX-SESSIONS-DISCONNECT": {
    source: [
      "| POST `/fix/gateways/{gateway}/sessions/{session}/disconnect` | CONTROL_FIX_SESSION | 200: updated session, detail form |",
    ],
    behavior: "disconnect answers those with CONTROL_FIX_SESSION only, with the updated session in detail form",
  },
  "FIX-SESSIONS-NO-BODY": {
    source: ["The three session POST operations take no request body."],
    behavior: "the three operations work without a body and refuse one that says something",
  },
  "FIX-UNKNOWN": {
    source: ["An unknown gateway or session gives 404."],
    behavior: "an unknown gateway or session is answered 404 by all operations that name one",
  },
});

/** Endpoints of positions and FIX. */
export const moreEndpoints = assemble(positions, fix);
