// Three NATS servers, an engine, two gateways and, where there is one, HAProxy, on free ports of the loopback address.
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { haproxyConfiguration } from "./haproxy.mjs";
import { findProgram, freePorts, Part, until } from "./processes.mjs";
import { send } from "./requests.mjs";

const COMMAND = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const NAMESPACE = "http://xml.deltixlab.com/internal/quantserver/3.0";
const USERS = ["alice", "bob"];

export class Cluster {
  /** Callers may be anybody of these: name and `Authorization` header. */
  users = Object.fromEntries(USERS.map((name) => [name, { name, password: randomBytes(12).toString("base64url") }]));
  nats = [];
  gateways = [];
  /** Undefined where there is no HAProxy. */
  proxy;
  engine;
  #folder = mkdtempSync(join(tmpdir(), "trading-admin-cluster-"));
  #urls = [];

  static async start() {
    const cluster = new Cluster();
    try {
      await cluster.#start();
      return cluster;
    } catch (error) {
      await cluster.end();
      throw error;
    }
  }

  async end() {
    for (const part of [this.proxy, ...this.gateways, this.engine, ...this.nats]) await part?.end();
    rmSync(this.#folder, { recursive: true });
  }

  /** Where commands go: to the balancer, or to the first gateway that takes a connection. */
  get front() {
    return this.proxy ? [this.proxy.url] : this.gateways.map(({ url }) => url);
  }

  /** The NATS server that a gateway is connected to. */
  natsOf(gateway) {
    const [port] = [...gateway.log.matchAll(/Connected to the NATS server at \S*?:(\d+)/g)]
      .map(([, found]) => found)
      .slice(-1);
    return this.nats.find((server) => String(server.port) === port);
  }

  /** Waits until a gateway reaches the engine, and the store of changes that need a second person. */
  async ready(gateway) {
    const user = this.users.alice;
    const status = async () => (await send([gateway.url], "GET", "/trading/status", { user, timeoutMs: 2_000 })).status;
    await until(`${gateway.name} reaches the engine`, async () => (await status()) === 200);
    await until(`${gateway.name} reaches the store`, () => gateway.log.includes("Approvals are shared"));
  }

  async #start() {
    const [proxyPort, ...ports] = await freePorts(9);
    await this.#startNats(ports.splice(0, 6));
    this.engine = this.#part("engine", process.execPath, [COMMAND, "engine", "--nats", this.#urls.join(",")]);
    this.engine.start();
    for (const [at, port] of ports.entries()) this.#addGateway(`gateway-${at + 1}`, port);
    for (const gateway of this.gateways) gateway.start();
    for (const gateway of this.gateways) await this.ready(gateway);
    await this.#startProxy(proxyPort);
  }

  async #startNats(ports) {
    const program = findProgram("nats-server", "NATS_SERVER");
    if (program === undefined) throw new Error("nats-server is needed: install it, or set NATS_SERVER to its path");
    const routes = ports.slice(3).map((port) => `nats://127.0.0.1:${port}`);
    for (const [at, route] of routes.entries()) {
      const cluster = ["--cluster_name", "drill", "--cluster", route, "--routes", routes.join(",")];
      const name = `nats-${at + 1}`;
      const store = ["-n", name, "-js", "-sd", join(this.#folder, `${name}.d`)];
      const server = this.#part(name, program, ["-a", "127.0.0.1", "-p", String(ports[at]), ...store, ...cluster]);
      server.port = ports[at];
      server.start();
      this.nats.push(server);
      this.#urls.push(`nats://127.0.0.1:${ports[at]}`);
    }
    await until("the NATS servers are ready", () => this.nats.every(({ log }) => log.includes("Server is ready")));
    await until("they have a leader", () => this.nats.some(({ log }) => log.includes("new metadata leader")));
  }

  #addGateway(name, port) {
    const folder = join(this.#folder, `${name}.d`);
    mkdirSync(folder);
    const users = USERS.map((user) => `<user id="${user}"><password>${this.users[user].password}</password></user>`);
    const allowed = ["HALT_RESUME_TRADING", "POSITION_ADJUSTMENT"].map((name) => `<permission>${name}</permission>`);
    const rules = USERS.map((user) => `<allow><principal>${user}</principal>${allowed.join("")}</allow>`);
    const write = (file, text) => writeFileSync(join(folder, file), text);
    write("uac-file-security.xml", `<config xmlns="${NAMESPACE}"><users>${users.join("")}</users></config>`);
    write("uac-access-rules.xml", `<rules xmlns="${NAMESPACE}">${rules.join("")}</rules>`);
    const settings = {
      "server.port": port,
      "admin.gateway.name": name,
      "server.trusted-proxies": "127.0.0.1",
      "server.shutdown.drain-time": "3s",
      "admin.engine.transport": "nats",
      "admin.engine.url": this.#urls,
      "admin.audit.file": "audit.jsonl",
      "admin.policy.two-person.operations": ["adjustPosition"],
      "admin.policy.two-person.store": "nats",
    };
    // JSON is YAML.
    write("application.yaml", JSON.stringify(settings, undefined, 2));
    const gateway = this.#part(name, process.execPath, [
      COMMAND,
      "serve",
      "--config",
      join(folder, "application.yaml"),
    ]);
    gateway.url = `http://127.0.0.1:${port}`;
    gateway.auditFile = join(folder, "audit.jsonl");
    this.gateways.push(gateway);
  }

  async #startProxy(port) {
    const program = findProgram("haproxy", "HAPROXY");
    if (program === undefined) {
      console.log("no HAProxy here: callers go to the first gateway that takes a connection");
      return;
    }
    const file = join(this.#folder, "haproxy.cfg");
    writeFileSync(
      file,
      haproxyConfiguration(
        port,
        this.gateways.map(({ url }) => new URL(url).host),
      ),
    );
    this.proxy = this.#part("haproxy", program, ["-f", file, "-db"]);
    this.proxy.url = `http://127.0.0.1:${port}`;
    this.proxy.start();
    const status = async () =>
      (await send([this.proxy.url], "GET", "/trading/status", { user: this.users.alice })).status;
    await until("HAProxy has found the gateways", async () => (await status()) === 200);
  }

  #part(name, program, args) {
    return new Part(name, this.#folder, program, args);
  }
}
