import { A_FLAG, type Cases } from "./case-kinds.ts";

/** The cases of the settings below `admin.policy`. */
export const POLICY_CASES = {
  "admin.policy.read-only": A_FLAG,
  "admin.policy.stop-only": {
    valid: [
      ["true", true],
      ["False", false],
      ["[monitor, night-desk]", ["monitor", "night-desk"]],
      ["monitor, night-desk", ["monitor", "night-desk"]],
      ["monitor", ["monitor"]],
      ["[]", []],
    ],
    invalid: ["[~]", "a,,b", `'["monitor"]'`, '"*"', 'monitor, "*"'],
    message: "must be true, false or a list of users",
  },
  "admin.policy.freeze.windows": {
    valid: [
      ["Mon-Fri 09:25-09:35", ["Mon-Fri 09:25-09:35"]],
      ["[Sat 00:00-24:00, 22:00-06:00]", ["Sat 00:00-24:00", "22:00-06:00"]],
      ["[]", []],
    ],
    invalid: [
      "9:25-09:35",
      "09:25",
      "24:00-01:00",
      "22:00-24:01",
      "Mo 09:25-09:35",
      "Mon-Fri",
      "09:25-09:25",
      '"Mon-Xyz 09:25-09:35"',
    ],
    message: "must be a list of windows such as `Mon-Fri 09:25-09:35`, `Sat 00:00-24:00` or `22:00-06:00`",
  },
  "admin.policy.freeze.time-zone": {
    valid: [
      ["Europe/Berlin", "Europe/Berlin"],
      ["UTC", "UTC"],
    ],
    invalid: ["Berlin", '""', "[UTC]"],
    message: "must be an IANA time zone such as `Europe/Berlin`",
  },
  "admin.policy.two-person.operations": {
    valid: [
      ["resumeTrading", ["resumeTrading"]],
      ["[resumetrading, updateRiskTable]", ["resumeTrading", "updateRiskTable"]],
    ],
    invalid: ["haltTrading", "getTradingStatus", "resume", "[]"],
    message: "must be one or more of resumeTrading, updateRiskTable, adjustPosition, enableService, enableFixSession",
  },
  "admin.policy.two-person.within": {
    valid: [
      ["5m", 300_000],
      ["1s", 1000],
      ["24h", 86_400_000],
    ],
    invalid: ["0s", "25h", "soon"],
    message: "must be a duration from 1s to 24h",
  },
  "admin.policy.two-person.store": {
    valid: [
      ["memory", "memory"],
      ["NATS", "nats"],
    ],
    invalid: ["redis", '""'],
    message: "must be memory or nats",
  },
} as const satisfies Readonly<Record<string, Cases>>;
