import { copyFileSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { RecordedRequest } from "../../../src/audit/history.ts";
import { openAuditFile } from "../../../src/audit/index.ts";
import type { AuditRecord } from "../../../src/core/records/record.ts";
import { auditRecord } from "../../audit/folder.ts";
import { CLEAN_ENVIRONMENT } from "../../package/consumer.ts";
import { type RealTerminal, RealTerminal as Terminal } from "../../support/terminal.ts";
import { COMMAND, requireCommand } from "../command.ts";
import { linesOnScreen } from "../screen.ts";
import { Workplace } from "../workplace.ts";

const workplace = new Workplace();
let terminal: RealTerminal | undefined;

const AT = "2026-01-05T09:31:00";

/** Writes the trail of a gateway: a halt that worked, a resume nobody knows of, an open limit change, a refusal. */
async function writeTrail(name: string, gateway: string, hour = "09"): Promise<void> {
  const audit = await openAuditFile({ path: workplace.file(name), maxFileBytes: 1_500 });
  const record = (id: string, more: Partial<AuditRecord>): Promise<void> =>
    audit.write(
      auditRecord(`${gateway}-${id}`, { gateway, time: `${AT}.000001Z`.replace("T09", `T${hour}`), ...more }),
    );
  await record("halt", { reason: "stale feed" });
  await record("halt", { stage: "applied", status: 200, durationMs: 3.25, reason: "stale feed" });
  await record("resume", { operation: "resumeTrading" });
  await record("resume", { operation: "resumeTrading", stage: "unknown", status: 504, message: "no response" });
  await record("limits", { operation: "updateRiskTable", target: "Account", user: "risk" });
  await record("eve", { stage: "denied", status: 403, user: "eve\u001b[2J" });
  await audit.close();
}

beforeAll(async () => {
  requireCommand();
  await writeTrail("one.jsonl", "gw1");
  await writeTrail("two.jsonl", "gw2", "08");
  workplace.write("file-alone.yaml", "admin.audit.file: one.jsonl\n");
  workplace.write("log-alone.yaml", "server.port: 0\n");
});

afterEach(() => terminal?.close());

afterAll(() => workplace.close());

async function show(...args: readonly string[]): Promise<RecordedRequest[]> {
  const { code, stdout } = await workplace.run(["audit", "show", ...args, "--output", "json"]);
  expect(code).toBe(0);
  return JSON.parse(stdout) as RecordedRequest[];
}

describe("audit show: what was asked for and what happened to it", () => {
  it("says what a change of limits or of a position changed, and who asked the second person for it", async () => {
    const audit = await openAuditFile({ path: workplace.file("changes.jsonl") });
    const conditions = { Account: "PENSION" };
    await audit.write(
      auditRecord("limits", {
        operation: "updateRiskTable",
        target: "Account",
        user: "bob",
        parameters: {
          commands: [
            { type: "UPDATE", conditions, limits: { MaxOrders: "10", Other: null } },
            { type: "DELETE", conditions: { Account: "GOLD" } },
          ],
        },
        before: [{ conditions, limits: { MaxOrders: "15" } }],
        annotations: { requestedBy: "alice" },
      }),
    );
    const [target, size] = ["Account[GOLD]", "80"];
    const before = [{ projection: target, size: "100" }];
    await audit.write(auditRecord("size", { operation: "adjustPosition", target, parameters: { size }, before }));
    await audit.close();
    for (const format of ["table", "wide", "csv"]) {
      const { stdout } = await workplace.run(["audit", "show", "changes.jsonl", "-o", format]);
      expect(stdout).toContain("Account=PENSION MaxOrders: 15 -> 10; Account=PENSION Other: not there -> unlimited");
      expect(stdout).toMatch(/Account=GOLD: row is deleted *(?:,| {2})alice\b/);
      expect(stdout).toContain("size: 100 -> 80");
    }
    expect((await workplace.run(["audit", "show", "one.jsonl"])).stdout).not.toMatch(/CHANGE|REQUESTED BY/);
  });

  it("names the limits that a new row is without, and those of a row that is deleted", async () => {
    const audit = await openAuditFile({ path: workplace.file("rows.jsonl") });
    const [gold, pension] = [{ Account: "GOLD" }, { Account: "PENSION" }];
    const commands = [
      { type: "INSERT", conditions: gold, limits: { MaxOrders: "10" } },
      { type: "DELETE", conditions: pension },
    ];
    const record = {
      operation: "updateRiskTable",
      target: "Account",
      parameters: { commands },
      before: [{ conditions: pension, limits: { MaxOrders: "15", Other: null } }],
      after: [{ conditions: gold, limits: { MaxOrders: "10", Other: null } }],
    } as const;
    await audit.write(auditRecord("rows", { ...record, stage: "applied" }));
    await audit.close();
    expect((await workplace.run(["audit", "show", "rows.jsonl", "-o", "wide"])).stdout).toContain(
      "Account=GOLD MaxOrders: 10; Account=GOLD: new row, without Other; Account=PENSION: row is deleted (MaxOrders 15)",
    );
  });

  it("D-UAC 23: --waiting shows what waits for a second person, and the line that another user types", async () => {
    const audit = await openAuditFile({ path: workplace.file("waiting.jsonl") });
    const awaitedUntil = new Date(Date.now() + 3_600_000).toISOString();
    let seconds = 10;
    const write = (id: string, more: Partial<AuditRecord>): Promise<void> => {
      seconds += 1;
      return audit.write(
        auditRecord(id, { user: "alice", requestId: id, time: `2026-01-05T09:31:${seconds}Z`, ...more }),
      );
    };
    const asks = (id: string, path: string, more: Partial<AuditRecord> = {}): Promise<void> => {
      const parameters = { projectionPath: path, reason: "feed is back" };
      const asked = { operation: "resumeTrading", target: path, reason: "feed is back", parameters } as const;
      return write(id, { stage: "denied", ...asked, annotations: { awaitedUntil }, ...more });
    };
    await asks("waits", "Account[GOLD]/Symbol[AAPL]");
    await asks("everything", "");
    await asks("repeated", "Account[A]");
    await asks("latest", "Account[A]");
    await asks("approved", "Account[B]");
    await write("approval", {
      operation: "resumeTrading",
      target: "Account[B]",
      annotations: { requestedBy: "alice", requestId: "approved" },
    });
    await asks("stopped", "Account[C]/Symbol[X]");
    await write("stop", { operation: "haltTrading", target: "Symbol[X]/Account[C]", stage: "applied" });
    await asks("invisible", "Account[a\\u000ab]");
    await asks("gone", "Account[E]");
    await write("restart", {
      stage: "lapsed",
      event: "lapsed",
      operation: null,
      target: null,
      ids: ["gone"],
      count: 1,
    });
    await asks("late", "Account[D]", { annotations: { awaitedUntil: "2026-01-05T09:36:00Z" } });
    await audit.close();
    expect((await show("waiting.jsonl", "--waiting")).map(({ id }) => id)).toEqual([
      "waits",
      "everything",
      "latest",
      "invisible",
    ]);
    const { stderr } = await workplace.run(["audit", "show", "waiting.jsonl", "--waiting"]);
    const until = awaitedUntil.slice(11, 19);
    const waits = `(feed is back) waits for a second person until ${until} UTC`;
    expect(stderr).toContain(
      `alice's request of 2026-01-05 09:31:11 UTC ${waits}: trading-admin resume 'Account[GOLD]/Symbol[AAPL]'\n` +
        `alice's request of 2026-01-05 09:31:12 UTC ${waits}: trading-admin resume\n`,
    );
    expect(stderr, "a record has no control characters: its line would name another node").toMatch(
      /^alice's request .*: the same command$/m,
    );
    expect(stderr).not.toContain("first of two");
    const none = await workplace.run(["audit", "show", "waiting.jsonl", "--waiting", "--user", "bob"]);
    expect(none).toMatchObject({ code: 0, stderr: "none\n" });
  });

  it("D-UAC 23: calls the first of two people's requests so, not denied, and says where those are that still wait", async () => {
    const audit = await openAuditFile({ path: workplace.file("two-people.jsonl") });
    const resume = { operation: "resumeTrading", target: "Account[A]", stage: "denied" } as const;
    await audit.write(auditRecord("eve", { ...resume, time: `${AT}.000001Z` }));
    const annotations = { awaitedUntil: "2026-01-05T09:36:00Z" };
    await audit.write(auditRecord("first", { ...resume, time: `${AT}.000002Z`, annotations }));
    await audit.close();
    for (const command of ["show", "tail"]) {
      const { stdout, stderr } = await workplace.run(["audit", command, "two-people.jsonl"]);
      expect(
        stdout.match(/ Account\[A\] +(denied|first of two) /g)?.map((row) => row.trim().split(/ {2,}/)[1]),
      ).toEqual(["denied", "first of two"]);
      expect(stderr).toContain(
        "of these 2: 1 first of two, sent only once a second person requests the same; --waiting",
      );
    }
    const denied = await show("two-people.jsonl", "--outcome", "denied");
    expect(
      denied.map(({ outcome }) => outcome),
      "programs read the record",
    ).toEqual(["denied", "denied"]);
  });

  it("reads the trail that a configuration names, as every command of the group does", async () => {
    const config = ["--config", "file-alone.yaml"];
    const ids = (requests: readonly RecordedRequest[]): string[] => requests.map(({ id }) => id);
    expect(ids(await show(...config))).toEqual(ids(await show("one.jsonl")));
    const tail = await workplace.run(["audit", "tail", ...config, "-n", "1", "-o", "json"]);
    expect(ids(JSON.parse(tail.stdout))).toEqual(["gw1-eve"]);
    const verified = await workplace.run(["audit", "verify", ...config]);
    expect([verified.code, verified.stdout]).toEqual([0, expect.stringMatching(/^file: \S*one\.jsonl$/m)]);
    terminal = new Terminal(process.execPath, [COMMAND, "audit", "follow", ...config, "-n", "1"], {
      cwd: workplace.path,
      environment: CLEAN_ENVIRONMENT,
      columns: 140,
      rows: 50,
    });
    await terminal.until(/^following \S*one\.jsonl; Ctrl-C ends$/m);
    terminal.type("\x03");
    expect(await terminal.ended()).toBe(0);
  });

  it("leads to the file where a secret of the configuration is in the environment of the gateway alone", async () => {
    workplace.write("secret.yaml", `admin.audit.file: one.jsonl\nadmin.engine.token: \${engine-token}\n`);
    const { code, stderr } = await workplace.run(["audit", "show", "--config", "secret.yaml"]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/no value for \$\{engine-token\}: .*; or name the audit file in place of --config$/m);
  });

  it("joins intent and outcome, over rotated files, and says what is open or unknown", async () => {
    const { code, stdout, stderr } = await workplace.run(["audit", "show", "one.jsonl"]);
    expect(code).toBe(0);
    expect(
      stdout
        .trim()
        .split("\n")
        .map((line) => line.split(/ {2,}/).slice(1, 5)),
    ).toEqual([
      ["USER", "OPERATION", "TARGET", "OUTCOME"],
      ["chief", "halt", "(root)", "applied"],
      ["chief", "resume", "(root)", "unknown"],
      ["risk", "risk update", "Account", "open"],
      ["eve\\u001b[2J", "halt", "(root)", "denied"],
    ]);
    expect(stderr).toMatch(
      /^of these 4: 1 open \(.*\), 1 unknown \(may have been applied: .*\); read the state before/m,
    );
  });

  it("takes a full file in an archive, and a copy of one, for what they are: of the same trail", async () => {
    mkdirSync(workplace.file("live"));
    await writeTrail("live/trail.jsonl", "gw1");
    const full = "trail.000000000001.jsonl";
    const live = workplace.file("live");
    expect(readdirSync(live)).toContain(full);
    const halts = async (...files: readonly string[]): Promise<unknown[]> => {
      const requests = await show(...files, "--operation", "haltTrading");
      return requests.map(({ id, outcome, intentRecorded }) => [id, outcome, intentRecorded]);
    };
    const expected = await halts("live/trail.jsonl");
    expect(expected.length).toBeGreaterThan(0);
    mkdirSync(workplace.file("archive"));
    copyFileSync(join(live, full), join(workplace.file("archive"), full));
    expect(await halts(`archive/${full}`, "live/trail.jsonl")).toEqual(expected);
    expect(await halts("live/trail.jsonl", `archive/${full}`)).toEqual(expected);
    rmSync(join(live, full));
    expect(await halts(`archive/${full}`, "live/trail.jsonl", "./live/../live/trail.jsonl")).toEqual(expected);
    expect(await halts("live/trail.jsonl", `archive/${full}`)).toEqual(expected);
  });

  it("of files of one trail the last record counts, in whatever order they are named, and however often", async () => {
    mkdirSync(workplace.file("late"));
    const name = (file: string): string => `late/${file}`;
    const audit = await openAuditFile({ path: workplace.file(name("a.jsonl")), maxFileBytes: 1_500 });
    const halt = (stage: AuditRecord["stage"]): Promise<void> => audit.write(auditRecord("late", { stage }));
    await halt("intent");
    await halt("unknown");
    for (let count = 0; count < 6; count += 1) await audit.write(auditRecord(`other-${count}`, { stage: "denied" }));
    copyFileSync(workplace.file(name("a.jsonl")), workplace.file(name("earlier copy.jsonl")));
    await halt("applied late");
    await audit.close();
    const full = readdirSync(workplace.file("late"))
      .filter((file) => /\d/.test(file))
      .toSorted();
    expect(full.length).toBeGreaterThan(1);
    mkdirSync(workplace.file("late/kept"));
    for (const file of full) renameSync(workplace.file(name(file)), workplace.file(name(`kept/${file}`)));
    const kept = full.map((file) => name(`kept/${file}`));
    const [current, copy] = [name("a.jsonl"), name("earlier copy.jsonl")];
    const orders = [
      [...kept, current],
      [current, ...kept],
      [...kept.toReversed(), current],
      [current, copy, ...kept],
    ];
    for (const files of orders) {
      const requests = await show(...files);
      expect([files, requests.filter(({ id }) => id === "late").map(({ outcome }) => outcome)]).toEqual([
        files,
        ["applied late"],
      ]);
    }
  });

  it("D-LOG 25: tells what was cut off, by the word of any of the files, from what may be in progress", async () => {
    const dead = await openAuditFile({ path: workplace.file("pod-a.jsonl") });
    for (const id of ["cut", "other"]) await dead.write(auditRecord(id, { gateway: "pod-a" }));
    await dead.close();
    const teller = await openAuditFile({ path: workplace.file("pod-b.jsonl") });
    const at = `${AT}.500000Z`;
    const told = { stage: "cut-off", event: "cut-off", operation: null, target: null, ids: ["cut"], count: 1 } as const;
    await teller.write(auditRecord("found", { ...told, gateway: "pod-b", time: at }));
    await teller.close();
    for (const files of [
      ["pod-a.jsonl", "pod-b.jsonl"],
      ["pod-b.jsonl", "pod-a.jsonl"],
    ]) {
      const requests = await show("--outcome", "open", ...files);
      expect(requests.map(({ id, outcome, cutOffAt }) => [id, outcome, cutOffAt]).toSorted()).toEqual([
        ["cut", "open", at],
        ["other", "open", undefined],
      ]);
      const { stdout, stderr } = await workplace.run(["audit", "show", "--outcome", "open", ...files]);
      expect(stdout.match(/open(?: \(cut off\))?/g)?.toSorted()).toEqual(["open", "open (cut off)"]);
      expect(stderr).toMatch(
        /^of these 2: 1 open \(cut off: .*\), 1 open \(in progress, or .*\); read the state before/m,
      );
    }
  });

  it("D-CLI 22: shows who did what to what, and why, at 80 columns, however long the names are", async () => {
    const record = {
      seq: 1,
      id: "1",
      time: "2026-01-05T09:31:00.123456Z",
      operation: "disconnectFixSession",
      requestId: "r",
    };
    const long = { user: "service-account-risk-monitor", target: `OE1/${"S".repeat(300)}`, reason: "R".repeat(300) };
    workplace.write("long.jsonl", `${JSON.stringify({ ...record, ...long, stage: "applied" })}\n`);
    const [head = "", line = ""] = await linesOnScreen({ workplace, environment: {} }, ["audit", "show", "long.jsonl"]);
    expect(head.split(/ +/)).toEqual(["TIME", "USER", "OPERATION", "TARGET", "OUTCOME", "REASON"]);
    expect(line).toMatch(/^2026-01-05 09:31:00 +service\S*… +fix disconnect +OE1\/S+… +applied/);
    expect(Math.max(head.length, line.length)).toBeLessThanOrEqual(80);
    const { stdout, stderr } = await workplace.run(["audit", "show", "long.jsonl"]);
    expect(stdout, "nothing is cut in a pipe").toContain(`${long.target}  applied`);
    expect(stderr).not.toContain("do not fit");
  });

  it("takes files of several gateways, in the order of time", async () => {
    const requests = await show("one.jsonl", "two.jsonl");
    expect(requests.map(({ gateway }) => gateway)).toEqual([...Array(4).fill("gw2"), ...Array(4).fill("gw1")]);
  });

  it.each([
    [["--user", "risk"], ["gw1-limits"]],
    [
      ["--operation", "haltTrading"],
      ["gw1-halt", "gw1-eve"],
    ],
    [
      ["--operation", "halt"],
      ["gw1-halt", "gw1-eve"],
    ],
    [["--operation", "trading resume"], ["gw1-resume"]],
    [["--outcome", "unknown"], ["gw1-resume"]],
    [["--since", "2026-01-06"], []],
    [["--until", `${AT}Z`, "--outcome", "open"], []],
  ])("filters by %j", async (filter, expected) => {
    expect((await show("one.jsonl", ...filter)).map(({ id }) => id)).toEqual(expected);
  });

  it("prints the records' own fields as JSON: reason, status, duration, both times", async () => {
    const [halt] = await show("one.jsonl");
    expect(halt).toMatchObject({
      outcome: "applied",
      reason: "stale feed",
      status: 200,
      durationMs: 3.25,
      intentRecorded: true,
    });
  });

  it("names lines that cannot be read, and continues", async () => {
    workplace.write("broken.jsonl", "{}\nnonsense\n");
    const { code, stderr } = await workplace.run(["audit", "show", "broken.jsonl"]);
    expect(code).toBe(0);
    expect(stderr).toMatch(/broken\.jsonl:1: is not an audit record[\s\S]*broken\.jsonl:2: is not a JSON object/);
  });

  it.each([
    [["show", "nowhere.jsonl"], /there is no audit file nowhere\.jsonl/],
    [["show", "one.jsonl", "--outcome", "unknwon"], /--outcome: there is no "unknwon"; did you mean "unknown"\?/],
    [["show", "one.jsonl", "--since", "soon"], /--since: must be a time/],
    [
      ["show", "--config", "log-alone.yaml"],
      /log-alone\.yaml names no NATS servers \(admin\.shared\.nats\.url\), and no file \(admin\.audit\.file\): its records are in its log alone/,
    ],
    [
      ["show", "--config", "file-alone.yaml", "--stream", "trail"],
      /file-alone\.yaml names no NATS servers \(admin\.shared\.nats\.url\); its records are in the file \S*one\.jsonl$/m,
    ],
    [["tail", "one.jsonl", "-n", "many"], /--lines: must be a whole number/],
  ])("refuses %j as wrong usage", async (args, message) => {
    const { code, stderr } = await workplace.run(["audit", ...args]);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });
});

describe("audit tail and follow", () => {
  it("D-LOG 2: the last one is the latest, also a stop that was written before changes that had waited", async () => {
    const audit = await openAuditFile({ path: workplace.file("order.jsonl") });
    await audit.write(auditRecord("halt", { time: `${AT}.000002Z` }));
    await audit.write(auditRecord("resume", { time: `${AT}.000001Z`, operation: "resumeTrading" }));
    await audit.close();
    const { stdout } = await workplace.run(["audit", "tail", "order.jsonl", "-n", "1", "-o", "json"]);
    expect((JSON.parse(stdout) as RecordedRequest[]).map(({ operation }) => operation)).toEqual(["haltTrading"]);
  });

  it("tail shows the last ones, whole although their intent is in an older file", async () => {
    const { stdout } = await workplace.run(["audit", "tail", "one.jsonl", "-n", "3", "-o", "json"]);
    const requests = JSON.parse(stdout) as RecordedRequest[];
    expect(requests.map(({ id, intentRecorded }) => [id, intentRecorded])).toEqual([
      ["gw1-resume", true],
      ["gw1-limits", true],
      ["gw1-eve", true],
    ]);
  });

  it("follow prints each request when its outcome comes, and an open one after a moment", async () => {
    await writeTrail("live.jsonl", "gw3");
    const args = [COMMAND, "audit", "follow", "live.jsonl", "-n", "0"];
    terminal = new Terminal(process.execPath, args, {
      cwd: workplace.path,
      environment: CLEAN_ENVIRONMENT,
      columns: 140,
      rows: 50,
    });
    await terminal.until(/^following live\.jsonl; Ctrl-C ends$/m);
    const audit = await openAuditFile({ path: workplace.file("live.jsonl") });
    await audit.write(auditRecord("new-1"));
    await audit.write(auditRecord("new-1", { stage: "applied", status: 200 }));
    await audit.write(auditRecord("new-2", { operation: "resumeTrading" }));
    await terminal.until(/Z applied +chief haltTrading .*\(request-new-1\)$/m);
    await terminal.until(/Z open +chief resumeTrading .*\(request-new-2\)$/m);
    await audit.write(auditRecord("new-2", { operation: "resumeTrading", stage: "applied" }));
    await terminal.until(/Z applied +chief resumeTrading .*\(request-new-2\)$/m);
    await audit.close();
    terminal.type("\x03");
    expect(await terminal.ended()).toBe(0);
  });
});
