import { Agent, request } from "node:http";
import { readLines } from "../../src/audit/lines.ts";
import type { AuditRecord } from "../../src/core/records/record.ts";
import type { Serving } from "../cli/command.ts";
import { Workplace } from "../cli/workplace.ts";

const PASSWORD = "correct horse 7 battery";
/** The `Authorization` header of the one user. */
export const AUTHORIZATION = `Basic ${Buffer.from(`chief:${PASSWORD}`).toString("base64")}`;

/** How often a load balancer asks whether a replica is ready; several times while that one drains. */
const WATCH_MS = 100;

/** What happened to a request: a status, or the code of a network error. */
export type Ending = number | string;

/** One gateway of several behind one service, in its own process, which comes back on its port. */
export class Replica {
  readonly #workplace: Workplace;
  readonly #agent = new Agent({ keepAlive: true });
  #serving: Serving;
  #isReady = true;
  readonly #watch = setInterval(() => void this.#askWhetherReady(), WATCH_MS);

  private constructor(workplace: Workplace, serving: Serving) {
    this.#workplace = workplace;
    this.#serving = serving;
  }

  static async start(engineUrl: string): Promise<Replica> {
    const workplace = new Workplace();
    workplace.writeUser("chief", PASSWORD);
    const write = (port: string) =>
      workplace.write(
        "application.yaml",
        `server.port: ${port}
admin.audit.file: audit.jsonl
admin.engine: { transport: websocket, url: "${engineUrl}" }
server.shutdown.drain-time: 1s
`,
      );
    write("0");
    const serving = await workplace.serve("--config", "application.yaml");
    write(new URL(serving.url).port);
    return new Replica(workplace, serving);
  }

  /** Ends it, as an orchestrator does unless another signal is given, starts it again, and answers the exit code. */
  async restart(signal: NodeJS.Signals = "SIGTERM"): Promise<number | null> {
    const code = await this.#serving.stop(signal);
    this.#serving = await this.#workplace.serve("--config", "application.yaml");
    return code;
  }

  /** Host and port. */
  get address(): string {
    return new URL(this.#serving.url).host;
  }

  /** Whether it said so when it was last asked. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** Sends a request; `id` joins it to the audit. */
  send(method: string, path: string, id: string): Promise<Ending> {
    return new Promise((resolve) => {
      const headers = { authorization: AUTHORIZATION, "x-request-id": id };
      const url = `${this.#serving.url}/api/admin/v1${path}`;
      const sent = request(url, { method, agent: this.#agent, headers }, (response) => {
        response.resume();
        response.once("end", () => resolve(response.statusCode ?? 0));
        response.once("error", ({ name }) => resolve(`answer cut: ${name}`));
      });
      sent.once("error", ({ code, message }: NodeJS.ErrnoException) => resolve(code ?? message));
      sent.end();
    });
  }

  /** Stages in the audit by request id. */
  async stages(): Promise<Map<string, string[]>> {
    const stages = new Map<string, string[]>();
    for await (const { bytes } of readLines(this.#workplace.file("audit.jsonl"))) {
      const { requestId, stage } = JSON.parse(Buffer.from(bytes).toString()) as AuditRecord;
      if (requestId !== undefined) stages.set(requestId, [...(stages.get(requestId) ?? []), stage]);
    }
    return stages;
  }

  /** What the system knows of the process. */
  get pid(): number {
    return this.#serving.pid;
  }

  async #askWhetherReady(): Promise<void> {
    try {
      const { status } = await fetch(`${this.#serving.url}/actuator/health/readiness`, {
        headers: { Connection: "close" },
      });
      this.#isReady = status === 200;
    } catch {
      // It does not even answer.
      this.#isReady = false;
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#watch);
    this.#agent.destroy();
    await this.#workplace.close();
  }
}
