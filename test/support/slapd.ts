import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Certificates } from "../transports/support/certificates.ts";
import { connects, freePort } from "./ports.ts";
import { type FoundSlapd, findSlapd } from "./slapd-binary.ts";
import { standStill } from "./stand-still.ts";
import { until } from "./until.ts";

const run = promisify(execFile);

/** Everything in the directory is below it. */
export const SUFFIX = "dc=example,dc=test";
/** The account that may read, and its password. */
export const SERVICE_DN = `cn=service,${SUFFIX}`;
const SERVICE_PASSWORD = "s3rvice";
/** The account that may write, and its password. */
export const ADMIN_DN = `cn=admin,${SUFFIX}`;
export const ADMIN_PASSWORD = "adm1n";

/** An OpenLDAP process of its own. */
export interface Slapd {
  readonly port: number;
  /** Port of `ldaps://`, when there are certificates. */
  readonly securePort: number;
  /** Ends the process for good. */
  stop(): Promise<void>;
  /** Ends the process as a crash would; it can be restarted. */
  crash(): Promise<void>;
  restart(): Promise<void>;
  /** Stops the process for a while: its connections stay, and nothing comes over them. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
}

/** Where a server runs: files in a folder, ports of the loopback address. */
export interface SlapdPlace {
  readonly folder: string;
  readonly port: number;
  readonly securePort: number;
  /** Whether the server listens on `securePort`. */
  readonly secure: boolean;
}

/** A way to run servers: as processes of this machine or in containers. */
export interface SlapdRuntime {
  /** Folders of schemas and of loadable modules, as the server sees them. */
  readonly schemas: string;
  readonly modules: string;
  /** Loads `entries.ldif` of the folder into the database that its `slapd.conf` describes. */
  load(folder: string): Promise<void>;
  server(place: SlapdPlace): Slapd;
}

/** What a directory has different from the usual one. */
export interface SlapdOptions {
  /** Entries in LDIF, in the order of the tree; the suffix and the service account are there. */
  readonly entries: string;
  readonly certificates?: Certificates;
  /** More lines for the database, such as `limits`. */
  readonly configuration?: string;
  /** Who may read: the service account unless given. */
  readonly readers?: string;
}

const POLL_MS = 10;
const ATTEMPTS = 5;

/** Starts a server with these entries on free ports of the loopback address. */
export async function startSlapd(options: SlapdOptions): Promise<Slapd> {
  const runtime = await slapdRuntime();
  const folder = await mkdtemp(join(tmpdir(), "slapd-"));
  try {
    await configure(runtime, folder, options);
    await runtime.load(folder);
    return await launchOnFreePorts(runtime, folder, options.certificates !== undefined);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** The suites that run in containers too say so (`vitest.config.ts`). */
async function slapdRuntime(): Promise<SlapdRuntime> {
  if (process.env.DIRECTORY !== "container") return slapdOfThisMachine(await findSlapd());
  const { containerRuntime } = await import("./slapd-container.ts");
  return containerRuntime() ?? slapdOfThisMachine(await findSlapd());
}

function slapdOfThisMachine(program: FoundSlapd): SlapdRuntime {
  const { path, schemas, modules, environment } = program;
  const options = ["-T", "add", "-q", "-f", "slapd.conf", "-l", "entries.ldif"];
  return {
    schemas,
    modules,
    load: async (folder) => void (await run(path, options, { cwd: folder, env: environment })),
    server: (place) => new SlapdProcess(program, place),
  };
}

async function configure(runtime: SlapdRuntime, folder: string, options: SlapdOptions): Promise<void> {
  const { entries, certificates, configuration = "", readers = `dn.exact="${SERVICE_DN}"` } = options;
  await mkdir(join(folder, "data"));
  const schemas = ["core", "cosine", "inetorgperson"].map((name) => `include ${runtime.schemas}/${name}.schema`);
  const lines = [
    ...schemas,
    `modulepath ${runtime.modules}`,
    "moduleload back_mdb",
    // Takes a bind without password for an anonymous one, as Active Directory does.
    "allow bind_anon_dn",
    ...(certificates ? await writeCertificates(folder, certificates) : []),
    "database mdb",
    "maxsize 268435456",
    `suffix "${SUFFIX}"`,
    `rootdn "${ADMIN_DN}"`,
    `rootpw ${ADMIN_PASSWORD}`,
    `directory ${join(folder, "data")}`,
    "access to attrs=userPassword by anonymous auth by * none",
    `access to * by ${readers} read by * none`,
    configuration,
  ];
  await writeFile(join(folder, "slapd.conf"), `${lines.join("\n")}\n`);
  await writeFile(join(folder, "entries.ldif"), `${BASE}${entries}`);
}

const BASE = `dn: ${SUFFIX}
objectClass: dcObject
objectClass: organization
dc: example
o: Example

dn: ${SERVICE_DN}
objectClass: organizationalRole
objectClass: simpleSecurityObject
cn: service
userPassword: ${SERVICE_PASSWORD}

`;

async function writeCertificates(folder: string, { ca, engine }: Certificates): Promise<readonly string[]> {
  const files = { TLSCACertificateFile: ca, TLSCertificateFile: engine.cert, TLSCertificateKeyFile: engine.key };
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, `${name}.pem`), content);
  return Object.keys(files).map((name) => `${name} ${join(folder, `${name}.pem`)}`);
}

/** Somebody else may take a port in between: then others are tried. */
async function launchOnFreePorts(runtime: SlapdRuntime, folder: string, secure: boolean): Promise<Slapd> {
  for (let attempt = 1; ; attempt += 1) {
    const server = runtime.server({ folder, port: await freePort(), securePort: await freePort(), secure });
    try {
      await server.restart();
      return server;
    } catch (error) {
      await server.crash();
      if (attempt === ATTEMPTS) throw error;
    }
  }
}

class SlapdProcess implements Slapd {
  readonly port: number;
  readonly securePort: number;
  readonly #program: FoundSlapd;
  readonly #folder: string;
  readonly #urls: string;
  readonly #killAtExit = (): void => void this.#child?.kill("SIGKILL");
  #child: ChildProcess | undefined;

  constructor(program: FoundSlapd, { folder, port, securePort, secure }: SlapdPlace) {
    this.port = port;
    this.securePort = securePort;
    this.#program = program;
    this.#folder = folder;
    this.#urls = `ldap://127.0.0.1:${port}/${secure ? ` ldaps://127.0.0.1:${securePort}/` : ""}`;
  }

  async stop(): Promise<void> {
    await this.crash();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async crash(): Promise<void> {
    process.off("exit", this.#killAtExit);
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  }

  async restart(): Promise<void> {
    await this.crash();
    const { path, environment } = this.#program;
    const options = ["-f", join(this.#folder, "slapd.conf"), "-h", this.#urls, "-d", "0"];
    this.#child = spawn(path, options, { cwd: this.#folder, env: environment, stdio: "ignore" });
    process.once("exit", this.#killAtExit);
    await listening(this.#child, this.port);
  }

  async freeze(): Promise<void> {
    if (this.#child) standStill(this.#child);
  }

  async thaw(): Promise<void> {
    this.#child?.kill("SIGCONT");
  }
}

async function listening(child: ChildProcess, port: number): Promise<void> {
  const listens = (): Promise<boolean> => {
    if (child.exitCode !== null) throw new Error(`slapd ended with exit code ${child.exitCode}`);
    return connects(port);
  };
  await until(listens, "slapd listens", { everyMs: POLL_MS });
}
