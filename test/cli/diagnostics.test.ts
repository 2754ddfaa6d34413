import { type AddressInfo, createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { checkGateway } from "../../src/cli/doctor/gateway.ts";
import { PERMISSIONS } from "../../src/core/principal.ts";
import { makeCertificates } from "../transports/support/certificates.ts";
import { requireCommand } from "./command.ts";
import { Installation, PASSWORD } from "./installation.ts";
import { onScreen } from "./screen.ts";

interface Finding {
  readonly check: string;
  readonly result: string;
  readonly detail: string;
}

let installation: Installation;

beforeAll(async () => {
  requireCommand();
  installation = await Installation.open();
});

afterAll(() => installation.close());

/** Findings of `doctor`, by check; the address in a name is left out. */
async function doctor(...args: readonly string[]): Promise<{ code: number | null; found: Map<string, Finding> }> {
  const { code, stdout } = await installation.run("doctor", "-o", "json", ...args);
  const found = JSON.parse(stdout) as Finding[];
  return { code, found: new Map(found.map((finding) => [finding.check.replace(/ https?:.*/, ""), finding])) };
}

/** What `doctor` says of a gateway whose `GET /whoami` gives this; 404 for undefined. */
function findingsAgainst(caller: unknown): Promise<Finding[]> {
  const reply = (url: string): Response => {
    if (url.endsWith("/trading/status")) return Response.json({ projectionPath: "", halted: false, reason: null });
    if (url.endsWith("/whoami") && caller !== undefined) return Response.json(caller);
    return Response.json({ status: 404, error: "Not Found", message: "no such path" }, { status: 404 });
  };
  const address = new URL("https://gateway.example");
  return checkGateway({ address, fetch: async (url) => reply(url), authorization: "Bearer t", caller: "a token" });
}

describe("doctor: what is between the command line and the engine", () => {
  it("finds an installation in order, and says what it cannot know", async () => {
    const { code, found } = await doctor();
    expect(code).toBe(0);
    const results = Object.fromEntries([...found].map(([check, { result }]) => [check, result]));
    expect(results).toMatchObject({
      address: "ok",
      TLS: "warning",
      clock: "ok",
      credentials: "ok",
      "engine link": "ok",
      "health engine": "ok",
      version: "ok",
      permissions: "ok",
    });
    expect(found.get("credentials")?.detail).toBe("accepted: user desk (the environment), password (the environment)");
    expect(found.get("permissions")?.detail).toBe("the gateway knows the caller as desk, who has all permissions");
    expect(found.get("engine")?.detail).toMatch(
      /^Simulated engine \d\S+; has all operations; positions by Account\/Symbol, .*; risk tables \(system-wide\), Source, /,
    );
  });

  it("D-CLI 14: says whose credentials were accepted or refused, with profile and file, and what they may not do", async () => {
    const { workplace } = installation;
    const profile = { url: installation.serving.url, user: "desk", "password-file": "password" };
    workplace.writePrivate("profiles.yaml", JSON.stringify({ current: "london", profiles: { london: profile } }));
    const environment = { TRADING_ADMIN_CONFIG: workplace.file("profiles.yaml") };
    const named = JSON.parse((await workplace.run(["doctor", "-o", "json"], "", environment)).stdout) as Finding[];
    expect(named.find(({ check }) => check === "credentials")?.detail).toBe(
      `accepted: user desk (profile london), password in ${workplace.file("password")} (profile london)`,
    );
    const refused = await doctor("--user", "eve", "--password-file", "password");
    expect(refused.found.get("credentials")?.detail).toBe(
      "refused (401): user eve (the command line), password in password (the command line): check user and password, or " +
        "the token and its expiry",
    );
    const limited = await Installation.open(["HALT_RESUME_TRADING"]);
    onTestFinished(() => limited.close());
    const { stdout } = await limited.run("doctor", "-o", "json");
    expect(stdout).toMatch(/knows the caller as desk, who lacks CHANGE_RISK_LIMITS, CONTROL_FIX_SESSION, /);
  });

  it("D-HTTP 36: says when the token expires, and warns when that is within a minute", async () => {
    const expiring = async (seconds: number | null): Promise<unknown> => {
      const expires = seconds === null ? null : Date.now() + seconds * 1_000;
      const found = await findingsAgainst({ name: "ci", authentication: "bearer", permissions: PERMISSIONS, expires });
      const { result = "", detail = "" } = found.find(({ check }) => check === "permissions") ?? {};
      return [result, detail.replace(/\d{4}-\S+Z, in \d+ s/, "TIME")];
    };
    const known = "the gateway knows the caller as ci, who has all permissions";
    expect(await expiring(null)).toEqual(["ok", known]);
    expect(await expiring(300)).toEqual(["ok", `${known}; the token expires at TIME`]);
    expect(await expiring(30)).toEqual([
      "warning",
      `${known}; the token expires at TIME: get a new one before you send commands`,
    ]);
  });

  it("of a gateway without extensions it says that it does not know the permissions", async () => {
    const found = await findingsAgainst(undefined);
    expect(found.find(({ check }) => check === "permissions")).toMatchObject({
      result: "unknown",
      detail: "this gateway does not say what its caller may do (admin.api.extensions)",
    });
  });

  it("fits a terminal of 80 columns: what was found continues in the next line, between two words", async () => {
    const terminal = onScreen(installation, ["doctor"]);
    onTestFinished(() => terminal.close());
    const text = await terminal.until(/nothing is wrong that can be seen from here/);
    const [, first = "", second = ""] = /^(ok +permissions +the gateway .*)\n( +\S.*)$/m.exec(text) ?? [];
    expect(first).toMatch(/\S$/);
    expect(second.search(/\S/)).toBe(first.indexOf("the gateway"));
  });

  it("sends no command: the log of the gateway has reads alone", async () => {
    const before = installation.serving.stdout.length;
    await doctor();
    const requests = (): Set<string> =>
      new Set(installation.serving.stdout.slice(before).match(/"operation":"\w+"/g) ?? []);
    const names = ["describeEngine", "getFixSession", "getTradingStatus", "listHalts", "whoami"];
    const reads = names.map((name) => `"operation":"${name}"`);
    await expect.poll(requests).toEqual(new Set(reads));
  });

  it("distinguishes a port where nothing listens, wrong credentials, and a path without API: exit code 1", async () => {
    const nowhere = await doctor("--url", "http://127.0.0.1:1");
    expect([nowhere.code, nowhere.found.get("address")?.detail]).toEqual([
      1,
      expect.stringMatching(/ECONNREFUSED.*is the gateway running/),
    ]);
    const stranger = await doctor("--user", "eve", "--password-file", "password");
    expect(stranger.found.get("credentials")).toMatchObject({
      result: "failed",
      detail: expect.stringContaining("401"),
    });
    expect(stranger.found.has("permissions")).toBe(false);
    const astray = await doctor("--url", `${installation.serving.url}/elsewhere`);
    expect(astray.found.get("API")).toMatchObject({ result: "failed", detail: expect.stringContaining("(404)") });
  });

  it("says of TLS whose certificate it is, whether it is trusted, and when it ends", async () => {
    const { ca, gateway } = await makeCertificates();
    const { workplace } = installation;
    for (const [name, text] of Object.entries({ "ca.pem": ca, "cert.pem": gateway.cert, "key.pem": gateway.key })) {
      workplace.write(name, text);
    }
    const ssl = ["--server.ssl.certificate=cert.pem", "--server.ssl.certificate-private-key=key.pem"];
    const { url } = await workplace.serve("--config", "application.yaml", ...ssl);
    const untrusted = await doctor("--url", url);
    expect([untrusted.code, untrusted.found.get("TLS")]).toEqual([
      1,
      expect.objectContaining({ result: "failed", detail: expect.stringMatching(/not trusted .*--ca/) }),
    ]);
    const trusted = await doctor("--url", url, "--ca", "ca.pem");
    expect(trusted.found.get("TLS")?.detail).toMatch(
      /^TLSv1\.3, gateway by authority, valid until \d{4}-\d\d-\d\d \(\d+ days\)/,
    );
    expect(trusted.found.get("credentials")?.result).toBe("ok");
  });

  it("shows what a token contains, and nothing secret", async () => {
    const claims = {
      sub: "desk",
      iss: "https://idp.example",
      aud: "api",
      exp: 4_102_444_800,
      authorities: ["HALT_RESUME_TRADING"],
    };
    const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
    const token = `${part({ alg: "RS256" })}.${part(claims)}.c2lnbmF0dXJl`;
    installation.workplace.write("token", token);
    const { code, stdout, stderr } = await installation.workplace.run(["doctor", "--token-file", "token"], "", {
      TRADING_ADMIN_URL: installation.serving.url,
    });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^ok +token +subject desk, issuer https:\/\/idp\.example, audience api, \d+ s left$/m);
    expect(stdout).toMatch(/^ok +permissions +authorities: HALT_RESUME_TRADING;/m);
    for (const secret of [token, PASSWORD, "c2lnbmF0dXJl"]) expect(stdout + stderr).not.toContain(secret);
  });

  it("gives up an address that accepts and is silent", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const { code, found } = await doctor("--url", `https://127.0.0.1:${port}`);
    expect([code, found.get("address")?.detail]).toEqual([1, expect.stringContaining("no connection within 5000 ms")]);
  });
});

describe("drill: halt, verify, resume, verify", () => {
  const NODE = "Account[GOLD]";

  it("leaves the node as it was, and the evidence has times and request ids", async () => {
    const { code, stdout } = await installation.run("drill", NODE, "--yes", "-o", "json", "--reason", "yearly drill");
    expect(code).toBe(0);
    const evidence = JSON.parse(stdout);
    expect(evidence).toMatchObject({
      result: "passed",
      user: "desk",
      projectionPath: NODE,
      reason: expect.stringMatching(/^yearly drill [\da-f]{6}$/),
      before: { halted: false },
      after: { halted: false },
    });
    expect(evidence.steps.map(({ operation, outcome }: Record<string, string>) => [operation, outcome])).toEqual([
      ["haltTrading", "done"],
      ["resumeTrading", "done"],
    ]);
    for (const { askedAt, acceptedAt, seenAt, requestId } of evidence.steps) {
      expect([askedAt <= acceptedAt, acceptedAt <= seenAt, requestId]).toEqual([
        true,
        true,
        expect.stringMatching(/^[\w.-]+$/),
      ]);
    }
  });

  it("prints Markdown unless JSON is asked for", async () => {
    const { stdout } = await installation.run("drill", NODE, "--yes");
    expect(stdout).toMatch(
      /^# Drill: halt and resume of trading\n\n\| What \| Value \|\n\| --- \| --- \|\n\| Result \| \*\*passed\*\* \|/,
    );
    expect(stdout).toMatch(/^\| haltTrading \| done \| .* ms \| \d+ ms \| [\w.-]+ \|$/m);
  });

  it("sends nothing without --yes where nobody can confirm, nor where trading is halted already", async () => {
    expect(await installation.run("drill", NODE)).toMatchObject({
      code: 6,
      stderr: expect.stringMatching(
        /: nothing was sent: there is no terminal to ask for confirmation on; pass --yes$/m,
      ),
    });
    expect((await installation.run("halt", NODE, "--reason", "real")).code).toBe(0);
    const { code, stdout, stderr } = await installation.run("drill", NODE, "--yes");
    expect({ code, stdout }).toEqual({ code: 6, stdout: "" });
    expect(stderr).toContain("a drill would resume it");
    expect(await installation.json("trading", "status", NODE)).toMatchObject({ halted: true, reason: "real" });
    expect((await installation.run("resume", NODE, "--yes")).code).toBe(0);
  });
});
