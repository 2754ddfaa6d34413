import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseSettings } from "../../src/config/load.ts";
import { PERMISSIONS } from "../../src/core/principal.ts";
import { type Gateway, startGateway } from "../../src/gateway/gateway.ts";
import { openMonitorLog } from "../../src/gateway/log/monitor-log.ts";
import { allow, ruleDocument, userDocument } from "../auth/access-files.ts";

const NAMESPACE = "http://xml.deltixlab.com/internal/quantserver/3.0";

/** Password of the one user, `chief`. */
export const PASSWORD = "correct horse 7 battery";

/** `Authorization` header of the one user. */
export const CHIEF = `Basic ${Buffer.from(`chief:${PASSWORD}`).toString("base64")}`;

const ACCESS_FILES: Readonly<Record<string, string>> = {
  "uac-file-security.xml": `<?xml version="1.0"?>
<config xmlns="${NAMESPACE}">
  <users>
    ${userElement("chief")}
  </users>
</config>
`,
  "uac-access-rules.xml": `<?xml version="1.0"?>
<rules xmlns="${NAMESPACE}">
  <allow>
    <principal>chief</principal>
${PERMISSIONS.map((permission) => `    <permission>${permission}</permission>\n`).join("")}  </allow>
</rules>
`,
};

function userElement(name: string): string {
  return `<user id="${name}"><password>${PASSWORD}</password></user>`;
}

/** A folder with the files of an installation, and the gateways that run from it. */
export class InstallationFolder {
  readonly path: string = mkdtempSync(join(tmpdir(), "trading-admin-gateway-"));
  readonly #logFile = join(this.path, "monitor.log");
  readonly #opened: (() => Promise<void> | void)[] = [];

  constructor() {
    for (const [name, text] of Object.entries(ACCESS_FILES)) this.write(name, text);
  }

  /** Adds a user with the same password, who may do all that the other one may. */
  addUser(name: string): void {
    for (const [file, text] of Object.entries(ACCESS_FILES)) {
      const more = file === "uac-access-rules.xml" ? `<principal>${name}</principal>` : userElement(name);
      const place = file === "uac-access-rules.xml" ? "<principal>" : "  </users>";
      this.write(file, text.replace(place, `${more}${place}`));
    }
  }

  file(name: string): string {
    return join(this.path, name);
  }

  write(name: string, text: string): void {
    writeFileSync(this.file(name), text);
  }

  remove(name: string): void {
    rmSync(this.file(name));
  }

  /** Starts a gateway with this `application.yaml`; its port is free unless it names one. The log goes to a file. */
  async start(yaml: string, logTo: string = this.#logFile): Promise<Gateway> {
    const text = /^server\.port/m.test(yaml) ? yaml : `server.port: 0\n${yaml}`;
    const descriptor = openSync(logTo, "a");
    this.#opened.push(() => closeSync(descriptor));
    const log = openMonitorLog(descriptor);
    const gateway = await startGateway({
      settings: parseSettings(text, this.file("application.yaml")),
      log,
      environment: {},
    });
    this.#opened.push(() => gateway.close());
    return gateway;
  }

  /** The text of the log. */
  logText(): string {
    return readFileSync(this.#logFile, "utf8");
  }

  /** The lines of the log, each of which has to be JSON. */
  log(): Record<string, unknown>[] {
    return this.lines("monitor.log");
  }

  /** The lines of a file, each of which has to be JSON. */
  lines(name: string): Record<string, unknown>[] {
    const lines = readFileSync(this.file(name), "utf8").split("\n");
    return lines.slice(0, -1).map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  /** Stops what runs and removes the folder. */
  async close(): Promise<void> {
    for (const close of this.#opened.splice(0).reverse()) await close();
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** Beside `chief`, who has every permission, a user who may only read. */
export function addViewer(folder: InstallationFolder): void {
  folder.write("uac-file-security.xml", userDocument(["chief", PASSWORD], ["viewer", PASSWORD]));
  folder.write("uac-access-rules.xml", ruleDocument(...PERMISSIONS.map((permission) => allow("chief", permission))));
}
