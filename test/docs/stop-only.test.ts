import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Ended, Serving } from "../cli/command.ts";
import { requireCommand } from "../cli/command.ts";
import { Workplace } from "../cli/workplace.ts";
import { ROOT } from "../package/build.ts";
import { sendRaw } from "../support/raw-http.ts";

const PAGE = readFileSync(join(ROOT, "docs", "deploy", "stop-only.md"), "utf8");

/** Where the audit files are on the page; here they are in the folder of the test. */
const AUDIT_FOLDER = "/var/log/trading-admin/";

/** Files of the page by their names. */
const FILES = [...PAGE.matchAll(/^```yaml\n(# \/etc\/trading-admin\/(\S+)\n.*?)^```$/gms)].map(
  ([, text = "", name = ""]) => ({ name, text }),
);

describe("docs/deploy/stop-only.md: beside an ordinary gateway, one that only stops", () => {
  let workplace: Workplace;
  let ordinary: Serving;
  let stopOnly: Serving;

  beforeAll(async () => {
    requireCommand();
    workplace = new Workplace();
    await workplace.run(["init"]);
    for (const { name, text } of FILES) workplace.write(name, text.replace(AUDIT_FOLDER, ""));
    const { url } = await workplace.engine("--listen", "ws://127.0.0.1:0");
    const here = ["--server.port=0", `--admin.engine.url=${url}`];
    ordinary = await workplace.serve("--config", "application.yaml", ...here);
    stopOnly = await workplace.serve("--config", "stop-only.yaml", ...here);
  });
  afterAll(() => workplace.close());

  /** Runs a command with these gateways as addresses. */
  function command(gateways: readonly Serving[], ...args: readonly string[]): Promise<Ended> {
    const url = gateways.map((gateway) => gateway.url).join(",");
    const login = ["--user", "operator", "--password-file", "operator.password"];
    return workplace.run([...args, "--url", url, ...login]);
  }

  it("the page has the settings of both", () => {
    expect(FILES.map(({ name }) => name)).toEqual(["application.yaml", "stop-only.yaml"]);
    for (const { text } of FILES) expect(text).toContain(`admin.audit.file: ${AUDIT_FOLDER}`);
    expect(stopOnly.stdout).toContain("admin.policy.stop-only: every command but stops is refused");
    expect(stopOnly.stdout).not.toContain("console  ");
  });

  it("a halt through it is seen at the first gateway, which resumes it", async () => {
    expect(await command([stopOnly], "halt", "--reason", "second way")).toMatchObject({ code: 0 });
    expect((await command([ordinary], "trading", "status")).stdout).toContain("second way");
    expect(await command([ordinary], "resume", "--yes")).toMatchObject({ code: 0 });
  });

  it.each([
    ["/trading/resume", "resumeTrading", {}],
    ["/positions/adjust", "adjustPosition", { projectionPath: "Account[GOLD]/Symbol[AAPL]", size: "1" }],
  ])("%s is answered as the page says, and recorded as denied", async (path, operation, body) => {
    const password = readFileSync(workplace.file("operator.password"), "utf8").trim();
    const reply = await sendRaw(`${stopOnly.url}/api/admin/v1`, {
      method: "POST",
      path,
      authorization: `Basic ${Buffer.from(`operator:${password}`).toString("base64")}`,
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    const text = `${operation} is refused: only stops pass (halt, disable, disconnect)`;
    expect([reply.status, reply.headers["x-admin-outcome"]]).toEqual([403, "not-applied"]);
    expect(JSON.parse(reply.body)).toMatchObject({ message: text });
    const records = readFileSync(workplace.file("stop-only.jsonl"), "utf8").trim().split("\n");
    expect(records.map((line) => JSON.parse(line) as unknown)).toContainEqual(
      expect.objectContaining({ stage: "denied", operation, message: text }),
    );
  });

  it("a drill with its address alone leaves trading halted, and says so", async () => {
    expect(await command([stopOnly], "drill", "--yes")).toMatchObject({ code: 8 });
    expect(await command([ordinary], "resume", "--yes")).toMatchObject({ code: 0 });
  });

  it("while the first gateway is unavailable, the command line halts through the second, and a resume ends with exit code 4", async () => {
    await ordinary.kill();
    expect(await command([ordinary, stopOnly], "halt", "--reason", "first is away")).toMatchObject({ code: 0 });
    expect(await command([ordinary, stopOnly], "resume", "--yes")).toMatchObject({
      code: 4,
      stderr: expect.stringContaining("nothing was sent to the engine: resumeTrading is refused: only stops pass"),
    });
  });
});
