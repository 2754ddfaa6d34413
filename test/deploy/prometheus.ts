import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { access, constants, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { unpackDebian } from "../support/debian-packages.ts";
import { freePort } from "../support/ports.ts";

const run = promisify(execFile);

const PROGRAMS = ["prometheus", "promtool"] as const;

type Program = (typeof PROGRAMS)[number];

/** Where Prometheus' programs are. */
export type PrometheusPrograms = Readonly<Record<Program, string>>;

/**
 * Finds Prometheus: on the search path, else Debian's package, which is unpacked below `node_modules/.cache`. Rejects with what to
 * do when there is none.
 */
export async function findPrometheus(): Promise<PrometheusPrograms> {
  for (const folder of (process.env.PATH ?? "").split(delimiter).filter(Boolean)) {
    const found = programsIn(folder);
    if (await allExecutable(found)) return found;
  }
  try {
    const programs = PROGRAMS.map((program) => `usr/bin/${program}`);
    const { root } = await unpackDebian({ name: "prometheus", packages: ["prometheus"], programs });
    return programsIn(join(root, "usr", "bin"));
  } catch (cause) {
    throw new Error("These tests need prometheus and promtool on the search path, or Debian's package prometheus", {
      cause,
    });
  }
}

function programsIn(folder: string): PrometheusPrograms {
  return { prometheus: join(folder, "prometheus"), promtool: join(folder, "promtool") };
}

async function allExecutable(programs: PrometheusPrograms): Promise<boolean> {
  const checks = await Promise.allSettled(Object.values(programs).map((path) => access(path, constants.X_OK)));
  return checks.every(({ status }) => status === "fulfilled");
}

/** Runs promtool; answers what it prints, and rejects with it when it finds fault. */
export async function promtool(programs: PrometheusPrograms, ...args: readonly string[]): Promise<string> {
  try {
    return (await run(programs.promtool, args)).stdout;
  } catch (cause) {
    const { stdout = "", stderr = "" } = cause as { stdout?: string; stderr?: string };
    throw new Error(`promtool ${args.join(" ")}: ${stdout}${stderr}`, { cause });
  }
}

/** Lets promtool check a page of metrics; rejects with what it finds fault with. */
export async function lintMetrics(programs: PrometheusPrograms, text: string): Promise<void> {
  const child = spawn(programs.promtool, ["check", "metrics"], { stdio: ["pipe", "pipe", "pipe"] });
  let found = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (part: string) => {
      found += part;
    });
  }
  child.stdin.end(text);
  const [code] = (await once(child, "close")) as [number];
  if (code !== 0 || found !== "") throw new Error(`promtool check metrics: ${found}`);
}

/** One series that a query finds. */
interface FoundSeries {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [time: number, value: string];
}

/** A Prometheus server on the loopback address that scrapes twice a second. */
export interface PrometheusServer {
  /** Series that an expression finds now. Rejects when it is not PromQL. */
  query(expression: string): Promise<FoundSeries[]>;
  /** How each alert rule of its rule file stands, by name. */
  rules(): Promise<ReadonlyMap<string, { readonly health: string; readonly state: string }>>;
  stop(): Promise<void>;
}

/** What it scrapes: the origin of a gateway, and its `Authorization` header without the scheme Basic if it needs one. */
export interface ScrapeTarget {
  readonly origin: string;
  readonly user?: { readonly name: string; readonly password: string };
}

/** Starts Prometheus over some gateways, with a file of alert rules. */
export async function startPrometheus(
  programs: PrometheusPrograms,
  targets: readonly ScrapeTarget[],
  ruleFile: string,
): Promise<PrometheusServer> {
  const folder = await mkdtemp(join(tmpdir(), "trading-admin-prometheus-"));
  const port = await freePort();
  await writeFile(join(folder, "prometheus.json"), JSON.stringify(configuration(targets, ruleFile)));
  const child = spawn(
    programs.prometheus,
    [
      `--config.file=${join(folder, "prometheus.json")}`,
      `--storage.tsdb.path=${join(folder, "data")}`,
      `--web.listen-address=127.0.0.1:${port}`,
      "--log.level=error",
    ],
    { cwd: folder, stdio: "ignore" },
  );
  const exited = once(child, "exit");
  const get = async (path: string): Promise<unknown> => {
    const reply = await fetch(`http://127.0.0.1:${port}/api/v1${path}`);
    const { status, data, error } = (await reply.json()) as { status: string; data: unknown; error?: string };
    if (status !== "success") throw new Error(error);
    return data;
  };
  return {
    query: async (expression) =>
      ((await get(`/query?query=${encodeURIComponent(expression)}`)) as { result: FoundSeries[] }).result,
    rules: async () => {
      const { groups } = (await get("/rules")) as {
        groups: { rules: { name: string; health: string; state: string }[] }[];
      };
      return new Map(groups.flatMap(({ rules }) => rules).map((rule) => [rule.name, rule]));
    },
    stop: async () => {
      child.kill("SIGTERM");
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Prometheus reads YAML, of which JSON is a part. */
function configuration(targets: readonly ScrapeTarget[], ruleFile: string): object {
  return {
    global: { scrape_interval: "500ms", evaluation_interval: "500ms" },
    rule_files: [ruleFile],
    scrape_configs: targets.map(({ origin, user }, index) => ({
      job_name: `gateway-${index}`,
      metrics_path: "/actuator/prometheus",
      scheme: new URL(origin).protocol.slice(0, -1),
      tls_config: { insecure_skip_verify: true },
      static_configs: [{ targets: [new URL(origin).host] }],
      ...(user && { basic_auth: { username: user.name, password: user.password } }),
    })),
  };
}
