import { readFileSync } from "node:fs";
import { PERMISSIONS } from "../../src/core/principal.ts";
import { sampleInstallation } from "../../src/files/package-files.ts";
import type { Ended, Serving } from "./command.ts";
import { Workplace } from "./workplace.ts";

/** Password of the user `desk`. */
export const PASSWORD = "correct horse 7 battery";

/** A live gateway with the sample installation, and the command line in the hands of a user who may do everything. */
export class Installation {
  readonly workplace: Workplace;
  readonly serving: Serving;

  private constructor(workplace: Workplace, serving: Serving) {
    this.workplace = workplace;
    this.serving = serving;
  }

  static async open(permissions: readonly string[] = [...PERMISSIONS]): Promise<Installation> {
    const workplace = new Workplace();
    workplace.writeUser("desk", PASSWORD, permissions);
    workplace.write("password", `${PASSWORD}\n`);
    // Nothing trades by itself, so that two reads see the same.
    workplace.write(
      "installation.yaml",
      readFileSync(sampleInstallation(), "utf8").replace(/^activity: on/m, "activity: off"),
    );
    workplace.write("application.yaml", "server.port: 0\nadmin.engine.installation: installation.yaml\n");
    return new Installation(workplace, await workplace.serve("--config", "application.yaml"));
  }

  /** What says where the gateway is and who calls. */
  get environment(): Record<string, string> {
    return { TRADING_ADMIN_URL: this.serving.url, TRADING_ADMIN_USER: "desk", TRADING_ADMIN_PASSWORD: PASSWORD };
  }

  /** Runs a command against it. */
  run(...args: readonly string[]): Promise<Ended> {
    return this.workplace.run(args, "", this.environment);
  }

  /** Runs a command whose data is JSON. */
  async json(...args: readonly string[]): Promise<unknown> {
    const { code, stdout, stderr } = await this.run(...args, "--output", "json");
    if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}: ${stderr}`);
    return JSON.parse(stdout);
  }

  close(): Promise<void> {
    return this.workplace.close();
  }
}
