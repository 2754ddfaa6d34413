import type { Cases } from "./case-kinds.ts";
import type { SingleKey } from "./setting-cases.ts";

type MonitorKey = Extract<
  SingleKey,
  `gateway.monitor.${string}` | "server.trusted-proxies" | "server.forwarded-header"
>;

/** The cases of the settings of the monitor backend and of the proxies in front. */
export const MONITOR_CASES: Readonly<Record<MonitorKey, Cases>> = {
  "gateway.monitor.url": {
    valid: [
      ["http://monitor:8080", new URL("http://monitor:8080")],
      ["https://monitor.desk.local/", new URL("https://monitor.desk.local")],
      ['"http://[::1]:8080"', new URL("http://[::1]:8080")],
    ],
    invalid: [
      "monitor:8080",
      "ws://monitor",
      "http://",
      '""',
      "http://monitor/ui",
      "http://monitor?a",
      '"http://monitor/#"',
      "http://alice:secret@monitor",
      "[http://monitor]",
    ],
    message: "must be a URL (http:// or https://) of a host and perhaps a port, without path, user or password",
  },
  "gateway.monitor.tls.ca": {
    valid: [["ca.pem", "/etc/gateway/ca.pem"]],
    invalid: ['""', "[a]"],
    message: "must be a path",
  },
  "gateway.monitor.connect-timeout": {
    valid: [
      ["1", 1],
      ["10m", 600_000],
    ],
    invalid: ["0", "11m", "soon"],
    message: "must be a duration from 1ms to 10m",
  },
  "gateway.monitor.response-timeout": {
    valid: [
      ["1ms", 1],
      ["1h", 3_600_000],
    ],
    invalid: ["0s", "2h", '""'],
    message: "must be a duration from 1ms to 1h",
  },
  "server.trusted-proxies": {
    valid: [
      ['""', []],
      ["[]", []],
      ["10.0.0.0/8, 192.168.1.7", ["10.0.0.0/8", "192.168.1.7"]],
      ['["::1", "2001:db8::/32"]', ["::1", "2001:db8::/32"]],
    ],
    invalid: [
      "proxy",
      "10.0.0.0/33",
      "10.0.0.0/",
      "10.0.0.0/8/8",
      "10.0.0",
      "fe80::1%eth0",
      '"2001:db8::/129"',
      "10.0.0.1,,10.0.0.2",
      "[[10.0.0.1]]",
    ],
    message: "must be a list of IP addresses and networks (10.0.0.0/8)",
  },
  "server.forwarded-header": {
    valid: [
      ["X-Forwarded-For", "X-Forwarded-For"],
      ["forwarded", "Forwarded"],
    ],
    invalid: ["X-Real-IP", '""', "X-Forwarded-For,Forwarded"],
    message: "must be X-Forwarded-For or Forwarded",
  },
};
