import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Ended, runCommand, Serving } from "./command.ts";

const NAMESPACE = "http://xml.deltixlab.com/internal/quantserver/3.0";

/** A folder that commands run in; what runs from it ends with it. */
export class Workplace {
  readonly path: string;
  readonly #root = mkdtempSync(join(tmpdir(), "trading-admin-cli-"));
  readonly #serving: Serving[] = [];

  /** `name` is that of the folder itself. */
  constructor(name = "work") {
    this.path = join(this.#root, name);
    mkdirSync(this.path);
  }

  file(name: string): string {
    return join(this.path, name);
  }

  write(name: string, text: string): void {
    writeFileSync(this.file(name), text);
  }

  /** Writes a file that nobody else may read. */
  writePrivate(name: string, text: string): void {
    writeFileSync(this.file(name), text, { mode: 0o600 });
  }

  /** Writes access files with one user; `stored` is what the file holds as his password. */
  writeUser(name: string, stored: string, permissions: readonly string[] = ["HALT_RESUME_TRADING"]): void {
    const user = `<user id="${name}"><password>${stored}</password></user>`;
    const granted = permissions.map((permission) => `<permission>${permission}</permission>`).join("");
    const rule = `<allow><principal>${name}</principal>${granted}</allow>`;
    this.write("uac-file-security.xml", `<config xmlns="${NAMESPACE}"><users>${user}</users></config>`);
    this.write("uac-access-rules.xml", `<rules xmlns="${NAMESPACE}">${rule}</rules>`);
  }

  /** Runs the command to its end. */
  run(args: readonly string[], input?: string, environment?: Readonly<Record<string, string>>): Promise<Ended> {
    return runCommand(args, this.path, input, environment);
  }

  /** Runs `trading-admin serve`. */
  serve(...args: readonly string[]): Promise<Serving> {
    return this.#start("serve", ...args);
  }

  /** Runs `trading-admin engine`. */
  engine(...args: readonly string[]): Promise<Serving> {
    return this.#start("engine", ...args);
  }

  /** Runs `trading-admin docs`; its `url` is the address that works once. */
  docs(...args: readonly string[]): Promise<Serving> {
    return this.#start("docs", ...args);
  }

  /** Runs `trading-admin console`; its `url` is the address that works once. */
  console(...args: readonly string[]): Promise<Serving> {
    return this.#start("console", ...args);
  }

  async #start(...args: readonly string[]): Promise<Serving> {
    const serving = await Serving.start(this.path, ...args);
    this.#serving.push(serving);
    return serving;
  }

  /** Ends what runs and removes the folder. */
  async close(): Promise<void> {
    for (const serving of this.#serving) await serving.kill();
    rmSync(this.#root, { recursive: true, force: true });
  }
}
