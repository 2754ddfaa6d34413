import {
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { openDemo } from "../../src/gateway/demo.ts";
import { type Ended, requireCommand, run, type Serving } from "./command.ts";
import { Workplace } from "./workplace.ts";

const USERS = ["operator", "riskdesk", "support", "viewer"];

beforeAll(requireCommand);

const workplaces: Workplace[] = [];

afterEach(async () => {
  for (const workplace of workplaces.splice(0)) await workplace.close();
});

/** A folder with a demo on any free port, made as the command makes it on its first start. */
async function prepareDemo(name?: string): Promise<Workplace> {
  const workplace = new Workplace(name);
  workplaces.push(workplace);
  const { configuration } = await openDemo(workplace.file(".demo"));
  const text = readFileSync(configuration, "utf8");
  expect(text).toContain("port: 8988");
  writeFileSync(configuration, text.replace("port: 8988", "port: 0"));
  return workplace;
}

function passwords(workplace: Workplace): string[] {
  return USERS.map((user) => readFileSync(workplace.file(`.demo/${user}.password`), "utf8").trim());
}

/** What of a folder, itself included, others may use. */
function openToOthers(folder: string): string[] {
  const paths = [folder, ...readdirSync(folder).map((file) => `${folder}/${file}`)];
  return paths.filter((path) => (statSync(path).mode & 0o077) !== 0);
}

/** Runs the line to paste into a shell; the status of the response is the last line of the output. */
function paste(serving: Serving, workplace: Workplace): Promise<Ended> {
  const line = /^ {2}try +(curl .*)$/m.exec(serving.stdout)?.[1];
  return run(
    "bash",
    ["--norc", "-c", `${line} --silent --show-error --max-time 100 --write-out '\\n%{http_code}'`],
    workplace.path,
  );
}

describe("serve without a configuration: the demo", () => {
  it.each(["work", 'a desk\'s folder, $HOME `x` "y"'])("prints a curl line that works, started in %j", async (name) => {
    const workplace = await prepareDemo(name);
    const serving = await workplace.serve();
    const { code, stdout, stderr } = await paste(serving, workplace);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toBe('{"projectionPath":"","halted":false,"reason":null}\n200');
  });

  it.each(["work", "a desk's folder, $HOME"])(
    "ends with lines for another shell, in which trading-admin is found, started in %j",
    async (name) => {
      const workplace = await prepareDemo(name);
      const serving = await workplace.serve();
      const text = serving.stdout.slice(0, serving.stdout.indexOf("listening on"));
      const lines = text.slice(text.indexOf("in another shell:\n")).split("\n").slice(1).filter(Boolean);
      expect(lines).toEqual([
        expect.stringMatching(/^trading-admin\(\) \{ .* "\$@"; \}$/),
        expect.stringMatching(`^export TRADING_ADMIN_URL=${serving.url} TRADING_ADMIN_USER=operator `),
        "trading-admin halt --reason drill",
        "trading-admin resume --reason 'drill is over'",
      ]);
      const pasted = (script: readonly string[]): Promise<Ended> =>
        run("bash", ["--norc", "-c", script.join("\n")], "/");
      expect(await pasted(lines.slice(0, 3))).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^done +halt trading system-wide/),
      });
      // It asks, and here is nobody to ask.
      const [command, where, , resume] = lines as [string, string, string, string];
      expect(await pasted([command, where, resume])).toMatchObject({
        code: 6,
        stderr: expect.stringContaining("pass --yes"),
      });
      expect(await pasted([command, where, `${resume} --yes`])).toMatchObject({ code: 0 });
    },
  );

  it("says on one line each what the users may do", async () => {
    const workplace = await prepareDemo();
    const { stdout } = await workplace.serve();
    expect(stdout).toMatch(/^ {2}user operator .*; may do everything$/m);
    expect(stdout).toMatch(/^ {2}user support .*; may read, ENABLE_DISABLE_SERVICE, CONTROL_FIX_SESSION$/m);
    expect(stdout).toMatch(/^ {2}user viewer .*; may read$/m);
  });

  it("prints who may log in and where the passwords are, but nothing secret", async () => {
    const workplace = await prepareDemo();
    const serving = await workplace.serve();
    for (const user of USERS) {
      expect(serving.stdout).toMatch(
        new RegExp(`^  user ${user} +password in ${workplace.file(`.demo/${user}.password`)};`, "m"),
      );
    }
    expect(serving.stdout.match(/^listening on .*$/gm)).toHaveLength(1);
    expect((await paste(serving, workplace)).code).toBe(0);
    expect(await serving.stop("SIGTERM")).toBe(0);
    const printed = serving.stdout + serving.stderr;
    for (const secret of [...passwords(workplace), "$scrypt$"]) expect(printed).not.toContain(secret);
  });

  it("creates everything itself, readable by its owner only", async () => {
    const workplace = await prepareDemo();
    expect(statSync(workplace.file(".demo")).mode & 0o777).toBe(0o700);
    const files = readdirSync(workplace.file(".demo")).sort();
    expect(files).toEqual(
      [
        "application.yaml",
        ...USERS.map((user) => `${user}.password`),
        "uac-access-rules.xml",
        "uac-file-security.xml",
      ].sort(),
    );
    for (const file of files)
      expect([file, statSync(workplace.file(`.demo/${file}`)).mode & 0o777]).toEqual([file, 0o600]);
  });

  it("is closed to others again by the next start, when its modes were opened", async () => {
    const workplace = await prepareDemo();
    const folder = workplace.file(".demo");
    chmodSync(folder, 0o777);
    for (const file of readdirSync(folder)) chmodSync(workplace.file(`.demo/${file}`), 0o666);
    await openDemo(folder);
    expect(openToOthers(folder)).toEqual([]);
  });

  it("is closed to others in a folder that was there before, open, with files and links of its names", async () => {
    const workplace = new Workplace();
    workplaces.push(workplace);
    const folder = workplace.file(".demo");
    mkdirSync(folder);
    chmodSync(folder, 0o777);
    workplace.write("theirs", "before");
    writeFileSync(`${folder}/operator.password`, "", { mode: 0o666 });
    linkSync(workplace.file("theirs"), `${folder}/riskdesk.password`);
    symlinkSync(workplace.file("theirs"), `${folder}/support.password`);
    symlinkSync(workplace.file("not-there"), `${folder}/uac-file-security.xml`);
    await openDemo(folder);
    expect(openToOthers(folder)).toEqual([]);
    expect(readFileSync(workplace.file("theirs"), "utf8")).toBe("before");
    expect(readdirSync(workplace.path).sort()).toEqual([".demo", "theirs"]);
    expect(new Set(passwords(workplace)).size).toBe(USERS.length);
  });

  it("is not made in a folder or behind a link of somebody else", async () => {
    const workplace = new Workplace();
    workplaces.push(workplace);
    mkdirSync(workplace.file("own"));
    symlinkSync(workplace.file("own"), workplace.file("link"));
    const self = process.getuid?.() ?? 0;
    vi.spyOn(process, "getuid").mockReturnValue(self + 1);
    onTestFinished(() => void vi.restoreAllMocks());
    for (const folder of ["own", "link"]) {
      await expect(openDemo(workplace.file(folder))).rejects.toThrow(
        "it belongs to another user; start in another folder",
      );
    }
    expect(readdirSync(workplace.file("own"))).toEqual([]);
  });

  it("has random passwords: they differ in each demo", async () => {
    const all = [...passwords(await prepareDemo()), ...passwords(await prepareDemo())];
    expect(new Set(all).size).toBe(2 * USERS.length);
    for (const password of all) expect(password).toMatch(/^[A-Za-z0-9_-]{20}$/);
  });

  it("stores hashes, not passwords (D-UAC 2)", async () => {
    const workplace = await prepareDemo();
    const file = readFileSync(workplace.file(".demo/uac-file-security.xml"), "utf8");
    expect(file.match(/<password>\$scrypt\$[^<]+<\/password>/g)).toHaveLength(USERS.length);
    for (const password of passwords(workplace)) expect(file).not.toContain(password);
  });

  it("is used again by the next start", async () => {
    const workplace = await prepareDemo();
    const before = passwords(workplace);
    for (let start = 0; start < 2; start += 1) {
      const serving = await workplace.serve();
      expect((await paste(serving, workplace)).stdout).toMatch(/200$/);
      expect(await serving.stop("SIGINT")).toBe(0);
    }
    expect(passwords(workplace)).toEqual(before);
  });

  it.each(["operator.password", "viewer.password", "uac-file-security.xml", "uac-access-rules.xml"])(
    "says how to begin anew where %s was deleted",
    async (name) => {
      const workplace = await prepareDemo();
      rmSync(workplace.file(`.demo/${name}`));
      await expect(openDemo(workplace.file(".demo"))).rejects.toThrow(
        `${workplace.file(`.demo/${name}`)} is missing: delete ${workplace.file(".demo")} to have the demo made again`,
      );
    },
  );

  it("is repaired by the next start when it was cut short while it was made", async () => {
    const workplace = await prepareDemo();
    const { configuration } = await openDemo(workplace.file(".demo"));
    const before = passwords(workplace);
    rmSync(configuration);
    await openDemo(workplace.file(".demo"));
    expect(passwords(workplace)).not.toEqual(before);
    expect(readFileSync(configuration, "utf8")).toContain("port: 8988");
  });
});
