import { under } from "./requirement.ts";

/** States and transitions. */
export const states = under("States and transitions", {
  "STATE-HALT": {
    source: ["| Kill switch at a path | any | `POST /trading/halt` | caller has HALT_RESUME_TRADING | halted = true"],
    behavior: "a halt by somebody with the permission halts a path in any state; without it nothing changes",
  },
  "STATE-HALT-ASYNC": {
    source: ["(applied asynchronously; confirm with the status read)"],
    behavior: "the halt shows in the status a little after its response",
  },
  "STATE-HALT-CANCELS": {
    source: ["With `cancelOrders` true and a system-wide halt, working orders are cancelled;"],
    behavior: "a system-wide halt with cancelOrders cancels all working orders, without it none",
  },
  "STATE-HALT-NODE-KEEPS": {
    source: ["for a non-root path the flag has no effect |"],
    behavior: "a halt of a node leaves working orders alone, cancelOrders or not",
  },
  "STATE-RESUME": {
    source: [
      "| Kill switch at a path | halted | `POST /trading/resume` | caller has HALT_RESUME_TRADING | halted = false | Reason recorded in the audit log |",
    ],
    behavior: "a resume by somebody with the permission ends a halt, its reason in the audit log",
  },
  "STATE-SERVICE-DISABLE": {
    source: [
      "| Service | enabled = true | `POST /services/{name}/disable` | caller has ENABLE_DISABLE_SERVICE | enabled = false | Reason recorded in the audit log |",
    ],
    behavior: "somebody with the permission disables an enabled service, the reason in the audit log",
  },
  "STATE-SERVICE-ENABLE": {
    source: [
      "| Service | enabled = false | `POST /services/{name}/enable` | caller has ENABLE_DISABLE_SERVICE | enabled = true | Reason recorded in the audit log |",
    ],
    behavior: "somebody with the permission enables a disabled service, the reason in the audit log",
  },
  "STATE-SESSION-DISABLE": {
    source: [
      "| FIX session | any | `POST .../disable` | caller has CONTROL_FIX_SESSION | session is disabled | Updated session returned |",
    ],
    behavior: "somebody with the permission disables a session in any state and gets it as it is then",
  },
  "STATE-SESSION-ENABLE": {
    source: [
      "| FIX session | Disabled | `POST .../enable` | caller has CONTROL_FIX_SESSION | session is enabled | Updated session returned |",
    ],
    behavior: "somebody with the permission enables a disabled session, which may log on again",
  },
  "STATE-SESSION-DISCONNECT": {
    source: [
      "| FIX session | Connected | `POST .../disconnect` | caller has CONTROL_FIX_SESSION | current connection is dropped | Updated session returned |",
    ],
    behavior: "somebody with the permission drops the connection of a session, which may log on again",
  },
  "STATE-VALUES": {
    source: [
      "State values: halted is true or false; service status is `Connected` or `Disconnected`; session status is `Connected`, `Disconnected` or `Disabled`.",
    ],
    behavior:
      "these values occur, and another one of an engine gets no further: 500, or null where the status of a service may be",
  },
});
