import { join } from "node:path";
import type { ProxyKind } from "./proxy-process.ts";

/** What Debian switches on in a fresh installation, as far as it concerns requests. */
const ENABLED = ["mpm_event", "authz_core", "authz_host", "reqtimeout"];

/** What Debian switches on with a module. */
const WITH: Readonly<Record<string, readonly string[]>> = { ssl: ["socache_shmcb"] };

/** Apache; `APACHE` may name one. A site is a virtual host; `modules` are those that `a2enmod` switches on. */
export function apache(modules: readonly string[]): ProxyKind {
  const loaded = [...ENABLED, ...modules.flatMap((module) => [...(WITH[module] ?? []), module])];
  return {
    program: {
      name: "apache2",
      variable: "APACHE",
      debian: { packages: ["apache2-bin"], programs: ["usr/sbin/apache2", "usr/lib/apache2/modules/mod_ssl.so"] },
    },
    configuration: ({ program, folder, log }, site) =>
      [
        `ServerRoot ${folder}`,
        `PidFile ${join(folder, "apache.pid")}`,
        `DefaultRuntimeDir ${folder}`,
        `ErrorLog ${log}`,
        "ServerName localhost",
        ...loaded.map((name) => `LoadModule ${name}_module ${program.root}/usr/lib/apache2/modules/mod_${name}.so`),
        site,
      ].join("\n"),
    arguments: ({ file }) => ["-D", "FOREGROUND", "-f", file],
    check: "-t",
  };
}
