import { join } from "node:path";
import { type FoundProgram, findProgram } from "./find-program.ts";

/** An OpenLDAP server, and what it needs to run from where it is. */
export interface FoundSlapd extends FoundProgram {
  readonly schemas: string;
  /** Folder of loadable modules. */
  readonly modules: string;
}

/** Finds `slapd`; `SLAPD` may name one. */
export async function findSlapd(): Promise<FoundSlapd> {
  const programs = ["usr/sbin/slapd", "usr/lib/ldap/back_mdb.so"];
  const found = await findProgram({ name: "slapd", variable: "SLAPD", debian: { packages: ["slapd"], programs } });
  return { ...found, schemas: join(found.root, "etc/ldap/schema"), modules: join(found.root, "usr/lib/ldap") };
}
