import { under } from "./requirement.ts";

/** Purpose, conventions and enabling. */
export const conventions = under("What the service does", {
  "PURPOSE-TRADING": {
    source: ["halt and resume trading, system-wide or at a node of the position/risk tree;"],
    behavior: "orders are refused while trading is halted, system-wide or at their node, and pass again after a resume",
  },
  "PURPOSE-RISK": {
    source: ["read and change risk limit tables;"],
    behavior: "a limit that was changed is the one that is read and the one that orders meet",
  },
  "PURPOSE-POSITIONS": {
    source: ["query and adjust positions;"],
    behavior: "a position that was adjusted is queried with its new size",
  },
  "PURPOSE-SERVICES": {
    source: ["list, enable and disable services (trade connectors and algorithms);"],
    behavior: "connectors and algorithms are listed, and orders to them pass only while they are enabled",
  },
  "PURPOSE-FIX": {
    source: ["inspect FIX gateways and FIX sessions, and enable, disable or disconnect sessions."],
    behavior: "gateways and sessions are shown, and a session follows disconnect, disable and enable",
  },
  "SERVED-BY-BACKEND": {
    source: ["The API is served by the monitor backend"],
    behavior: "a host that mounts the API serves it beside its own routes, on one port",
  },
  "SERVED-BY-GATEWAY": {
    source: ["and by the web gateway of the installation."],
    behavior: "the gateway serves the API",
  },
  "SERVED-PORT": {
    source: [
      "It listens on the same host and port as the monitor backend (configuration key `server.port`, default 8988).",
    ],
    behavior: "`server.port` is the port that is listened on, 8988 unless it is set",
  },
  "CONV-1-BASE-URL": {
    source: ["Base URL: `{base_url}/api/admin/v1`.", "Paths below are given relative to `/api/admin/v1`."],
    behavior: "an operation answers below /api/admin/v1 and not without it",
  },
  "CONV-2-JSON": {
    source: ["Request and response bodies are JSON (`application/json`, UTF-8)."],
    behavior: "bodies are application/json in UTF-8 both ways, and nothing else is taken",
  },
  "CONV-3-DECIMAL-STRINGS": {
    source: [
      "Decimal values (position size, average cost, PnL, limits) travel as JSON strings, for example a signed decimal with optional fraction.",
    ],
    behavior: "decimals are strings both ways, keep all digits, and are refused as JSON numbers",
  },
  "CONV-3-ABSENT-NULL": {
    source: ["An absent value is returned as `null`."],
    behavior: "fields without a value are there and are null",
  },
  "CONV-4-PATH": {
    source: [
      "A **projection path** names one node of the position/risk tree as `/`-separated `Key[<value>]` segments, for example `Source[<source>]/Account[<account>]`.",
    ],
    behavior: "a path of Key[value] segments names exactly the node with these values",
  },
  "CONV-4-ROOT": {
    source: ["An empty string or an omitted value means the root level (system-wide)."],
    behavior: "an empty and an omitted path both name the root",
  },
  "CONV-5-PROJECTION": {
    source: [
      "A **projection** is a `/`-separated list of projection keys, for example `Exchange/Symbol` or `Account/Symbol`.",
    ],
    behavior: "keys joined by / name a projection; anything else is refused",
  },
  "CONV-5-ROOT": {
    source: ["An empty string is the root level."],
    behavior: "the empty projection is the root level",
  },
  "CONV-6-TEN-SECONDS": {
    source: ["The engine is given 10 seconds to answer each request."],
    behavior: "a response after 9.999 seconds counts; at 10 seconds each operation gives up",
  },
  "CONV-7-NO-RETRY": {
    source: ["The server never retries mutating requests."],
    behavior: "each mutation reaches the engine once, whatever becomes of it",
  },
  "CONV-7-MAY-BE-APPLIED": {
    source: ["A mutating request that timed out may still have been applied;"],
    behavior: "504 tells nothing of the outcome: the state shows that the mutation was applied",
  },
  "CONV-8-RECORDED": {
    source: [
      "Every mutating operation is recorded in the monitor log together with the name of the authenticated user who made it.",
    ],
    behavior: "each of the mutating operations leaves records that name its user",
  },
  "ENABLED-BY-DEFAULT": {
    source: ["Enabling: the API is enabled by default."],
    behavior: "the API answers when the configuration says nothing about it",
  },
  "ENABLED-OFF": {
    source: [
      "Setting `admin.api.enabled` to `false` in the monitor backend's `application.yaml` and restarting turns it off.",
    ],
    behavior: "with admin.api.enabled false none of its paths exists",
  },
  "ENABLED-HTTPS": {
    source: ["HTTPS is enabled the same way as for the monitor backend."],
    behavior: "with the server.ssl settings of Spring Boot the API is served over TLS, and only over TLS",
  },
});
