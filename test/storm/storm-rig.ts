import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { constants, setPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { hashPassword } from "../../src/auth/passwords/scrypt.ts";
import type { Serving } from "../cli/command.ts";
import { Workplace } from "../cli/workplace.ts";
import { startStormEngine } from "./engine.ts";

const NAMESPACE = "http://xml.deltixlab.com/internal/quantserver/3.0";
const CONNECTIONS = 500;
/** Where audit files are written to memory: a disk that is slow now and then is slow without a storm, too. */
const MEMORY = "/dev/shm";
const USERS = ["desk-1", "desk-2", "desk-3", "desk-4", "desk-5"];

/** What a caller has seen: how many answers of each status. */
export type Counts = Readonly<Record<string, number>>;

/** A gateway in a process of its own, a slow engine in another, and an operator who halts. */
export class StormRig {
  readonly #workplace: Workplace;
  readonly #engine: ChildProcess;
  readonly #serving: Serving;
  readonly #auditFolder: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  private constructor(workplace: Workplace, auditFolder: string, engine: ChildProcess, serving: Serving) {
    this.#workplace = workplace;
    this.#auditFolder = auditFolder;
    this.#engine = engine;
    this.#serving = serving;
  }

  /** `settings` are those of the gateway besides. */
  static async start(settings: string): Promise<StormRig> {
    const { process: engine, url } = await startStormEngine();
    const workplace = new Workplace();
    const hash = await hashPassword(passwordOf("chief"));
    const others = USERS.map((user) => `<user id="${user}"><password>${passwordOf(user)}</password></user>`);
    const users = `<user id="chief"><password>${hash}</password></user>${others.join("")}`;
    workplace.write("uac-file-security.xml", `<config xmlns="${NAMESPACE}"><users>${users}</users></config>`);
    const rule = "<allow><principal>chief</principal><permission>HALT_RESUME_TRADING</permission></allow>";
    workplace.write("uac-access-rules.xml", `<rules xmlns="${NAMESPACE}">${rule}</rules>`);
    const auditFolder = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), "trading-admin-storm-"));
    const audit = `admin.audit.file: ${join(auditFolder, "audit.jsonl")}\n`;
    const link = `admin.engine: { transport: websocket, url: "${url}" }\n`;
    workplace.write("application.yaml", `server.port: 0\n${audit}${link}${settings}`);
    const serving = await workplace.serve("--config", "application.yaml");
    return new StormRig(workplace, auditFolder, engine, serving);
  }

  /** Halts so many times, one after the other, and answers the milliseconds that each took. Fails unless all succeed. */
  async halts(count: number, everyMs: number): Promise<number[]> {
    const times: number[] = [];
    for (let halt = 0; halt < count; halt += 1) {
      const began = performance.now();
      const status = await this.#halt();
      times.push(performance.now() - began);
      if (status !== 200) throw new Error(`halt ${halt + 1} was answered ${status}`);
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, everyMs - (performance.now() - began))));
    }
    return times;
  }

  /** Lets the storm rage while `task` runs. */
  async during<T>(task: () => Promise<T>): Promise<{ result: T; counts: Counts }> {
    const script = fileURLToPath(new URL("flood.mjs", import.meta.url));
    const base = `${this.#serving.url}/api/admin/v1`;
    const flood = fork(script, [base, `${CONNECTIONS}`, ...USERS.map((user) => credentials(user))]);
    // On a machine of its own it would take no processor time from the gateway.
    setPriority(flood.pid ?? 0, constants.priority.PRIORITY_LOW);
    await once(flood, "message");
    try {
      // It begins with 500 connections at once, and with code that never ran before; from then on it is the same.
      await new Promise((resolve) => setTimeout(resolve, 5_000));
      const result = await task();
      flood.send("stop");
      const [{ counts }] = (await once(flood, "message")) as [{ counts: Counts }];
      await once(flood, "exit");
      return { result, counts };
    } finally {
      flood.kill("SIGKILL");
    }
  }

  async close(): Promise<void> {
    this.#agent.destroy();
    this.#engine.kill("SIGKILL");
    await this.#workplace.close();
    rmSync(this.#auditFolder, { recursive: true });
  }

  #halt(): Promise<number> {
    return new Promise((resolve, reject) => {
      const url = `${this.#serving.url}/api/admin/v1/trading/halt`;
      const headers = { authorization: credentials("chief"), "content-type": "application/json" };
      const sent = request(url, { method: "POST", agent: this.#agent, headers, timeout: 20_000 }, (response) => {
        response.resume();
        response.once("end", () => resolve(response.statusCode ?? 0));
      });
      sent.once("timeout", () => sent.destroy(new Error("no answer")));
      sent.once("error", reject);
      sent.end('{"reason":"drill"}');
    });
  }
}

function passwordOf(user: string): string {
  return `password of ${user}`;
}

function credentials(user: string): string {
  return `Basic ${Buffer.from(`${user}:${passwordOf(user)}`).toString("base64")}`;
}

/** The value that this part of the values does not exceed. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * part) - 1] ?? Number.NaN;
}
