import type { ProxyKind } from "./proxy-process.ts";

/** HAProxy; `HAPROXY` may name one. A site is its whole configuration. */
export const HAPROXY: ProxyKind = {
  program: { name: "haproxy", variable: "HAPROXY", debian: { packages: ["haproxy"], programs: ["usr/sbin/haproxy"] } },
  configuration: (_place, site) => site,
  arguments: ({ file }) => ["-f", file, "-db", "-q"],
  check: "-c",
};
