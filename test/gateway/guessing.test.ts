import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { verifyAuditFiles } from "../../src/audit/index.ts";
import { hashPassword } from "../../src/auth/passwords/scrypt.ts";
import type { AuditRecord } from "../../src/core/records/record.ts";
import { CHIEF, InstallationFolder, PASSWORD } from "./folder.ts";

/** Where wrong passwords come from, and another address. */
const ATTACKER = "127.0.0.1";
const ELSEWHERE = "127.0.0.2";

const SETTINGS = "admin.audit.file: audit.jsonl\nsecurity.uac.max-login-delay: 1s\n";
const NEWCOMERS = ["dora", "emil", "fred", "gina", "hugo", "ines"];

interface Answer {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: string;
  readonly ms: number;
}

/** All users have the one password. */
let userFile: string;
let folder: InstallationFolder;
let agents: Agent[];

beforeAll(async () => {
  const hash = await hashPassword(PASSWORD);
  const users = ["chief", ...NEWCOMERS].map((name) => `<user id="${name}"><password>${hash}</password></user>`);
  userFile = `<config><users>${users.join("")}</users></config>`;
});

beforeEach(() => {
  folder = new InstallationFolder();
  folder.write("uac-file-security.xml", userFile);
  agents = [];
});

afterEach(async () => {
  for (const agent of agents) agent.destroy();
  await folder.close();
});

/** An agent whose connections come from an address. */
function agentAt(localAddress: string): Agent {
  const agent = new Agent({ keepAlive: true, localAddress });
  agents.push(agent);
  return agent;
}

function send(url: string, agent: Agent, authorization: string, halt = false): Promise<Answer> {
  const begun = performance.now();
  const path = halt ? "/api/admin/v1/trading/halt" : "/api/admin/v1/trading/status";
  return new Promise((resolve, reject) => {
    const sent = request(`${url}${path}`, { agent, method: halt ? "POST" : "GET", headers: { authorization } });
    sent.once("error", reject);
    sent.once("response", (reply) => {
      let body = "";
      reply.setEncoding("utf8").on("data", (text) => {
        body += text;
      });
      reply.once("end", () => {
        resolve({ status: reply.statusCode ?? 0, headers: reply.headers, body, ms: performance.now() - begun });
      });
    });
    sent.end();
  });
}

function basic(name: string, password: string): string {
  return `Basic ${Buffer.from(`${name}:${password}`).toString("base64")}`;
}

/** Wrong passwords of `chief` over many connections, each as soon as the one before is answered. */
class Attack {
  readonly answers: Answer[] = [];
  readonly #done: Promise<unknown>;
  #stopped = false;

  constructor(url: string, connections = 64) {
    const agent = agentAt(ATTACKER);
    this.#done = Promise.all(
      Array.from({ length: connections }, (_, connection) => this.#guess(url, agent, connection)),
    );
  }

  async #guess(url: string, agent: Agent, connection: number): Promise<void> {
    for (let guess = 0; !this.#stopped; guess++) {
      this.answers.push(await send(url, agent, basic("chief", `hush-${connection}-${guess}`)));
    }
  }

  async stop(): Promise<Answer[]> {
    this.#stopped = true;
    await this.#done;
    return this.answers;
  }
}

/** Milliseconds of halts, one after the other, all of which have to succeed. */
async function halts(url: string, agent: Agent, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < count; i++) {
    const { status, ms } = await send(url, agent, CHIEF, true);
    expect(status).toBe(200);
    times.push(ms);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return times.sort((a, b) => a - b);
}

async function firstLogins(url: string, users: readonly string[]): Promise<number[]> {
  const times: number[] = [];
  const agent = agentAt(ELSEWHERE);
  for (const user of users) {
    const { status, ms } = await send(url, agent, basic(user, PASSWORD));
    expect(status).toBe(200);
    times.push(ms);
  }
  return times.sort((a, b) => a - b);
}

function median(sorted: readonly number[]): number {
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Records of failed logins in the audit file. */
function loginRecords(): AuditRecord[] {
  const lines = readFileSync(folder.file("audit.jsonl"), "utf8").trim().split("\n");
  return lines
    .map((line) => JSON.parse(line) as AuditRecord)
    .filter(({ stage }) => stage === "login-refused" || stage === "login-throttled");
}

describe("wrong passwords at full speed from one address", () => {
  it("neither halts nor first logins of other users wait for them", { timeout: 90_000 }, async () => {
    const { url } = await folder.start(SETTINGS);
    const operator = agentAt(ELSEWHERE);
    await halts(url, operator, 5);
    const quiet = await halts(url, operator, 100);
    const quietLogins = await firstLogins(url, NEWCOMERS.slice(0, 3));
    const attack = new Attack(url);
    await expect.poll(() => attack.answers.length).toBeGreaterThan(5);
    const attackedLogins = await firstLogins(url, NEWCOMERS.slice(3));
    const attacked = await halts(url, operator, 100);
    const answers = await attack.stop();
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401, 429]));
    expect(median(attacked) / median(quiet)).toBeLessThan(5);
    expect(median(attackedLogins) / median(quietLogins)).toBeLessThan(8);
  });

  it("D-LOGIN 3: lock no one out: the attacked user logs in from elsewhere meanwhile, and from there afterwards", async () => {
    const { url } = await folder.start(SETTINGS);
    const attack = new Attack(url);
    await expect.poll(() => attack.answers.length).toBeGreaterThan(20);
    expect(await send(url, agentAt(ELSEWHERE), CHIEF, true)).toMatchObject({ status: 200 });
    expect(await send(url, agentAt(ATTACKER), CHIEF, true)).toMatchObject({ status: 200 });
    await attack.stop();
    expect(await send(url, agentAt(ATTACKER), basic("dora", PASSWORD))).toMatchObject({ status: 200 });
  });

  it("D-LOGIN 14: leave a turn to another user at the same address, whose password the gateway has not seen", async () => {
    const { url } = await folder.start(SETTINGS);
    const attack = new Attack(url);
    await expect.poll(() => attack.answers.filter(({ status }) => status === 429).length).toBeGreaterThan(20);
    const statuses: number[] = [];
    // On a machine whose processors are all in use a check may take longer than a login is held.
    while (statuses.length < 5 && (statuses.at(-1) ?? 429) === 429) {
      statuses.push((await send(url, agentAt(ATTACKER), basic("dora", PASSWORD), true)).status);
    }
    await attack.stop();
    // She has logged in, and may not halt.
    expect(statuses.at(-1)).toBe(403);
  });

  it("D-LOGIN 10: get 401 when they were checked, and 429 with Retry-After and a body when they were not", async () => {
    const { url } = await folder.start(SETTINGS);
    const attack = new Attack(url);
    await expect.poll(() => attack.answers.some(({ status }) => status === 429)).toBe(true);
    const answers = await attack.stop();
    const refused = answers.find(({ status }) => status === 401);
    expect(refused).toMatchObject({ body: "", headers: { "www-authenticate": expect.stringMatching(/^Basic /) } });
    const throttled = answers.find(({ status }) => status === 429);
    expect(throttled?.headers).toMatchObject({ "retry-after": "1", "content-type": "application/json" });
    expect(JSON.parse(throttled?.body ?? "")).toEqual({
      status: 429,
      error: "Too Many Requests",
      message: expect.stringContaining("not accepted"),
    });
  });

  it("D-LOG 11, D-LOG 7: are all in the audit file and the log, in few records, without a password", async () => {
    const gateway = await folder.start(SETTINGS);
    const attack = new Attack(gateway.url);
    await expect.poll(() => attack.answers.length).toBeGreaterThan(150);
    const answers = await attack.stop();
    await gateway.close();
    const records = loginRecords();
    for (const [stage, status] of [["login-refused", 401] as const, ["login-throttled", 429] as const]) {
      const counts = records.filter((record) => record.stage === stage).map(({ count }) => count ?? 0);
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(answers.filter((one) => one.status === status).length);
    }
    expect(records.length).toBeLessThan(10);
    expect(records[0]).toMatchObject({ user: "chief", address: ATTACKER, operation: null, authentication: "basic" });
    const ids = answers.map(({ headers }) => headers["x-request-id"]);
    for (const { requestId } of records) expect(ids).toContain(requestId);
    expect((await verifyAuditFiles([folder.file("audit.jsonl")])).problems).toEqual([]);
    const logged = folder.log().filter(({ stage }) => String(stage).startsWith("login-"));
    expect(logged.map(({ level, msg, ...record }) => record)).toMatchObject(
      records.map(({ id, count }) => ({ id, count })),
    );
    expect(folder.logText() + readFileSync(folder.file("audit.jsonl"), "utf8")).not.toMatch(/hush-|aHVzaC|Y2hpZWY6/);
  });
});

describe("credentials for the actuator", () => {
  it("are throttled and recorded like those for the API", async () => {
    const { url } = await folder.start(SETTINGS);
    const agent = agentAt(ATTACKER);
    const health = (password: string): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const headers = { authorization: basic("chief", password) };
        const sent = request(`${url}/actuator/health`, { agent, headers }, (reply) => {
          reply.resume().once("end", () => resolve(reply.statusCode));
        });
        sent.once("error", reject).end();
      });
    const statuses = await Promise.all(Array.from({ length: 30 }, (_, guess) => health(`hush-${guess}`)));
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
    expect(loginRecords()[0]).toMatchObject({ stage: "login-refused", user: "chief", address: ATTACKER, count: 1 });
  });
});

describe("security.uac.max-login-delay: 0s", () => {
  it("slows nothing; checks take turns all the same", { timeout: 90_000 }, async () => {
    const { url } = await folder.start("security.uac.max-login-delay: 0s\n");
    const quiet = await firstLogins(url, NEWCOMERS.slice(0, 3));
    const attack = new Attack(url, 32);
    await expect.poll(() => attack.answers.length).toBeGreaterThan(5);
    const attacked = await firstLogins(url, NEWCOMERS.slice(3));
    const answers = await attack.stop();
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
    expect(median(attacked) / median(quiet)).toBeLessThan(10);
  });
});
