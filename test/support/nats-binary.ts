import { type FoundProgram, findProgram } from "./find-program.ts";

/** Finds `nats-server`; `NATS_SERVER` may name one. */
export function findNatsServer(): Promise<FoundProgram> {
  const debian = { packages: ["nats-server"], programs: ["usr/sbin/nats-server"] };
  return findProgram({ name: "nats-server", variable: "NATS_SERVER", debian });
}
