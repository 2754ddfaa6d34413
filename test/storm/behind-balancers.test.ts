import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { requireCommand } from "../cli/command.ts";
import { type DocumentedProxy, haproxy, nginx, startDocumented } from "../deploy/documented-proxies.ts";
import type { ProxyProcess } from "../support/proxy-process.ts";
import { until } from "../support/until.ts";
import { type Certificates, makeCertificates } from "../transports/support/certificates.ts";
import { haltsAt, type StormEngine, startStormEngine } from "./engine.ts";
import { AUTHORIZATION, Replica } from "./replica.ts";

const CALLERS = 8;

/** Halts before and after each restart, of all callers together. */
const BETWEEN = 100;

interface Sent {
  readonly id: string;
  /** The status, or the code of a network error. */
  readonly ending: number | string;
  readonly outcome: string | undefined;
}

/** Two gateways in processes of their own behind a documented balancer, an engine that counts, and callers that halt without a pause. */
class Balanced {
  readonly replicas: readonly Replica[];
  readonly sent: Sent[] = [];
  readonly #engine: StormEngine;
  readonly #proxy: ProxyProcess;
  readonly #certificates: Certificates;
  readonly #callers: Promise<void>[];
  #going = true;

  private constructor(engine: StormEngine, replicas: readonly Replica[], proxy: ProxyProcess, keys: Certificates) {
    this.#engine = engine;
    this.replicas = replicas;
    this.#proxy = proxy;
    this.#certificates = keys;
    this.#callers = Array.from({ length: CALLERS }, (_, caller) => this.#call(caller));
  }

  static async start(documented: DocumentedProxy, folder: string): Promise<Balanced> {
    requireCommand();
    const engine = await startStormEngine();
    const keys = await makeCertificates();
    const { cert, key } = keys.engine;
    for (const [name, text] of Object.entries({ "admin.crt": cert, "admin.key": key, "admin.pem": `${cert}${key}` })) {
      writeFileSync(join(folder, name), text);
    }
    const replicas = [await Replica.start(engine.url), await Replica.start(engine.url)];
    const addresses = replicas.map(({ address }) => address);
    // The whole of the documented patience: nothing here waits for an engine that does not answer.
    const patient = (site: string): string => site.replaceAll("1500ms", "15s");
    return new Balanced(engine, replicas, await startDocumented(documented, addresses, folder, patient), keys);
  }

  /** Waits until so many more halts have been answered. */
  async halts(count: number): Promise<void> {
    const enough = this.sent.length + count;
    await until(
      () => this.sent.length >= enough,
      () => `${count} halts; the last ended ${this.sent.at(-1)?.ending}`,
      {
        limitMs: 60_000,
      },
    );
  }

  /** Lets the callers end, and returns how often the engine was given each halt. */
  async end(): Promise<Readonly<Record<string, number>>> {
    this.#going = false;
    await Promise.all(this.#callers);
    return haltsAt(this.#engine);
  }

  /** Stages in both audit trails by request id. */
  async stages(): Promise<ReadonlyMap<string, readonly string[]>> {
    const trails = await Promise.all(this.replicas.map((replica) => replica.stages()));
    return new Map(trails.flatMap((trail) => [...trail]));
  }

  async close(): Promise<void> {
    this.#going = false;
    await Promise.all(this.#callers);
    await this.#proxy.stop();
    for (const replica of this.replicas) await replica.close();
    this.#engine.process.kill("SIGKILL");
  }

  async #call(caller: number): Promise<void> {
    for (let count = 0; this.#going; count += 1) this.sent.push(await this.#halt(`halt-${caller}-${count}`));
  }

  #halt(id: string): Promise<Sent> {
    return new Promise((resolve) => {
      const sent = request(
        {
          host: "127.0.0.1",
          port: this.#proxy.port,
          method: "POST",
          path: "/api/admin/v1/trading/halt",
          ca: this.#certificates.ca,
          agent: false,
          headers: { authorization: AUTHORIZATION, "x-request-id": id, "content-length": 0 },
        },
        (reply) => {
          const outcome = reply.headers["x-admin-outcome"]?.toString();
          reply.resume();
          reply.once("end", () => resolve({ id, ending: reply.statusCode ?? 0, outcome }));
          reply.once("error", ({ name }) => resolve({ id, ending: name, outcome: undefined }));
        },
      );
      sent.once("error", ({ code, message }: NodeJS.ErrnoException) =>
        resolve({ id, ending: code ?? message, outcome: undefined }),
      );
      sent.end();
    });
  }
}

/** What a caller was told, or what was recorded, that is not so. */
function untruths(
  sent: readonly Sent[],
  done: Readonly<Record<string, number>>,
  stages: ReadonlyMap<string, readonly string[]>,
): Sent[] {
  return sent.filter(({ id, ending, outcome }) => {
    const times = done[id] ?? 0;
    const recorded = stages.get(id) ?? [];
    if (times > 1 || (times > 0 && !recorded.includes("intent"))) return true;
    if (ending === 200) return times !== 1 || outcome !== "applied" || !recorded.includes("applied");
    return outcome === "not-applied" && times > 0;
  });
}

let folder: string;
let balanced: Balanced;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "balanced-"));
});

afterEach(async () => {
  await balanced.close();
  rmSync(folder, { recursive: true });
});

describe.each([haproxy, nginx])(
  "D-GATE 17: two gateways behind the documented $name under load",
  { timeout: 300_000 },
  (documented) => {
    it("rolling restart: every halt is 200, was carried out once and is recorded", async () => {
      balanced = await Balanced.start(documented, folder);
      for (const replica of balanced.replicas) {
        await balanced.halts(BETWEEN);
        expect(await replica.restart()).toBe(0);
      }
      await balanced.halts(BETWEEN);
      const done = await balanced.end();
      expect(balanced.sent.filter(({ ending }) => ending !== 200)).toEqual([]);
      expect(untruths(balanced.sent, done, await balanced.stages())).toEqual([]);
    });

    it("kill -9 of each: only halts that were in progress there have no outcome, none is carried out twice, none is lost", async () => {
      balanced = await Balanced.start(documented, folder);
      for (const replica of balanced.replicas) {
        await balanced.halts(BETWEEN);
        await replica.restart("SIGKILL");
        // The balancer has to see that it is back before the other one goes.
        await balanced.halts(BETWEEN);
        await pause(1_000);
      }
      const done = await balanced.end();
      const others = balanced.sent.filter(({ ending }) => ending !== 200);
      expect(others.filter(({ ending, outcome }) => ending !== 502 || outcome !== undefined)).toEqual([]);
      expect(others.length).toBeLessThanOrEqual(2 * CALLERS);
      expect(untruths(balanced.sent, done, await balanced.stages())).toEqual([]);
    });
  },
);
