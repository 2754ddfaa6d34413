import { assemble, under } from "./requirement.ts";

const general = under("Endpoints", {
  "ENDPOINTS-BASE": {
    source: ["All paths are under `{base_url}/api/admin/v1`."],
    behavior: "each operation answers at its path under the base path",
  },
  "ENDPOINTS-JSON": {
    source: ["Request and response bodies are JSON."],
    behavior: "each operation with a body takes and gives application/json",
  },
  "ENDPOINTS-EMPTY-BODY": {
    source: ['"Empty body" means status 200 with no content.'],
    behavior: "halt, resume, adjust, enable and disable answer 200 and not one byte",
  },
  "ENDPOINTS-PERMISSIONS": {
    source: ["Read-only endpoints need any authenticated user; mutating ones need the named permission."],
    behavior: "a user without permissions may read everything and change nothing",
  },
});

const trading = under("Trading control", {
  "TRADING-STATUS-ENDPOINT": {
    source: ["| GET `/trading/status` | none beyond authentication |"],
    behavior: "GET /trading/status answers any authenticated user",
  },
  "TRADING-STATUS-PATH": {
    source: ["query `projectionPath` (string, optional; default system-wide)"],
    behavior: "projectionPath in the query chooses the path; without it the response is system-wide",
  },
  "TRADING-STATUS": {
    source: ["200: kill switch state (projectionPath, halted, reason)"],
    behavior: "the status read answers projectionPath, halted and reason",
  },
  "TRADING-HALT-ENDPOINT": {
    source: ["| POST `/trading/halt` | HALT_RESUME_TRADING |"],
    behavior: "POST /trading/halt answers those with HALT_RESUME_TRADING only",
  },
  "TRADING-HALT-PATH": {
    source: ["body: `projectionPath` (string, optional; empty or omitted = system-wide)"],
    behavior: "projectionPath of a halt is a string that chooses the path, system-wide when empty or omitted",
  },
  "TRADING-HALT-DEFAULT-REASON": {
    source: ["`reason` (string, optional; default `Trading halted`; recorded in audit log)"],
    behavior: "the reason of a halt is told and recorded, and is `Trading halted` when it is omitted",
  },
  "TRADING-HALT-CANCEL": {
    source: ["`cancelOrders` (boolean, optional; default false; honored only for system-wide halt)"],
    behavior: "cancelOrders is a boolean, false when omitted, and the engine sees true only system-wide",
  },
  "TRADING-HALT-ANSWER": {
    source: ["200 empty body; halt is asynchronous |"],
    behavior: "a halt is answered 200 without content, before it has been applied",
  },
  "TRADING-RESUME-ENDPOINT": {
    source: ["| POST `/trading/resume` | HALT_RESUME_TRADING |"],
    behavior: "POST /trading/resume answers those with HALT_RESUME_TRADING only",
  },
  "TRADING-RESUME-PATH": {
    source: ["body: `projectionPath` (string, optional),"],
    behavior: "projectionPath of a resume is a string that chooses the path, system-wide when omitted",
  },
  "TRADING-RESUME-DEFAULT-REASON": {
    source: ["`reason` (string, optional; default `Trading resumed`)"],
    behavior: "the reason of a resume is told, and is `Trading resumed` when it is omitted",
  },
  "TRADING-RESUME-ANSWER": {
    source: ["default `Trading resumed`) | 200 empty body |"],
    behavior: "a resume is answered 200 without content",
  },
});

const risk = under("Risk limits", {
  "RISK-READ-ENDPOINT": {
    source: ["| GET `/risk/table` | none |"],
    behavior: "GET /risk/table answers any authenticated user",
  },
  "RISK-READ-PROJECTION": {
    source: ["query `projection` (string, optional; default root level)"],
    behavior: "projection in the query chooses the table; without it the response is the root's",
  },
  "RISK-READ-ANSWER": {
    source: ["200: `projection`, `rows` (risk table)"],
    behavior: "the table read answers projection and rows",
  },
  "RISK-UPDATE-ENDPOINT": {
    source: ["| POST `/risk/update` | CHANGE_RISK_LIMITS |"],
    behavior: "POST /risk/update answers those with CHANGE_RISK_LIMITS only",
  },
  "RISK-UPDATE-PROJECTION": {
    source: ["body: `projection` (string, required; empty string = root)"],
    behavior: "projection of an update is a required string; the empty one is the root",
  },
  "RISK-UPDATE-COMMANDS": {
    source: ["`commands` (array of risk command, required, must not be empty)"],
    behavior: "commands of an update is a required array that holds something",
  },
  "RISK-UPDATE-ANSWER": {
    source: ["200: the table after the update, in the format of the table read."],
    behavior: "an update answers what the table read answers from then on",
  },
  "RISK-UPDATE-REJECTED": {
    source: ["If the engine rejects the update: 400 with the reason |"],
    behavior: "an update that the engine rejects is answered 400 with its reason and changes nothing",
  },
});

const services = under("Services", {
  "SERVICES-LIST": {
    source: ["| GET `/services` | none | none | 200: array of service |"],
    behavior: "GET /services answers any authenticated user with all services",
  },
  "SERVICES-GET": {
    source: ["| GET `/services/{name}` | none | path `name` | 200: one service; 404 if unknown |"],
    behavior: "GET /services/{name} answers any authenticated user with that service, or 404",
  },
  "SERVICES-DISABLE-ENDPOINT": {
    source: ["| POST `/services/{name}/disable` | ENABLE_DISABLE_SERVICE |"],
    behavior: "POST /services/{name}/disable answers those with ENABLE_DISABLE_SERVICE only",
  },
  "SERVICES-DISABLE-DEFAULT-REASON": {
    source: ["optional body: `reason` (string, optional; default `Service disabled`)"],
    behavior: "body and reason of a disable are optional; the reason is `Service disabled` then",
  },
  "SERVICES-DISABLE-ANSWER": {
    source: ["default `Service disabled`) | 200 empty body |"],
    behavior: "a disable is answered 200 without content",
  },
  "SERVICES-ENABLE-ENDPOINT": {
    source: ["| POST `/services/{name}/enable` | ENABLE_DISABLE_SERVICE |"],
    behavior: "POST /services/{name}/enable answers those with ENABLE_DISABLE_SERVICE only",
  },
  "SERVICES-ENABLE-DEFAULT-REASON": {
    source: ["optional body: `reason` (string, optional; default `Service enabled`)"],
    behavior: "body and reason of an enable are optional; the reason is `Service enabled` then",
  },
  "SERVICES-ENABLE-ANSWER": {
    source: ["default `Service enabled`) | 200 empty body |"],
    behavior: "an enable is answered 200 without content",
  },
});

/** Endpoints, those of positions and FIX aside. */
export const endpoints = assemble(general, trading, risk, services);
