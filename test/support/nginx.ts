import { readFile } from "node:fs/promises";
import type { ProxyKind, ProxyProcess } from "./proxy-process.ts";

const TEMPORARY = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];

/** nginx; `NGINX` may name one. A site is what stands inside `http { }`. */
export const NGINX: ProxyKind = {
  program: { name: "nginx", variable: "NGINX", debian: { packages: ["nginx"], programs: ["usr/sbin/nginx"] } },
  configuration: ({ log }, site) =>
    [
      ...(process.getuid?.() === 0 ? ["user root;"] : []),
      "daemon off; worker_processes 1; pid nginx.pid;",
      `error_log ${log};`,
      "events { }",
      `http { access_log off; ${TEMPORARY.map((kind) => `${kind}_temp_path ${kind};`).join(" ")}`,
      site,
      "}",
    ].join("\n"),
  arguments: ({ folder, file, log }) => ["-p", folder, "-c", file, "-e", log],
  check: "-t",
};

/** Takes another configuration over as `nginx -s reload` does, and waits until the processes with the old one are gone. */
export async function reloadNginx(nginx: ProxyProcess, site: string): Promise<void> {
  await nginx.configure(site);
  const before = await workersOf(nginx);
  process.kill(nginx.pid, "SIGHUP");
  await nginx.until(async () => {
    const now = await workersOf(nginx);
    return now.length > 0 && now.every((pid) => !before.includes(pid));
  });
}

async function workersOf({ pid }: ProxyProcess): Promise<readonly string[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8");
  return children.split(" ").filter(Boolean);
}
