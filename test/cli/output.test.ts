import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type RawReply, sendRaw } from "../support/raw-http.ts";
import { requireCommand, type Serving } from "./command.ts";
import { Workplace } from "./workplace.ts";

const PASSWORD = "correct horse 7 battery";

let workplace: Workplace;
let serving: Serving;

beforeAll(requireCommand);

beforeEach(async () => {
  workplace = new Workplace();
  workplace.writeUser("desk", PASSWORD);
  workplace.write("application.yaml", "server.port: 0\n");
  serving = await workplace.serve("--config", "application.yaml");
});

afterEach(() => workplace.close());

function post(operation: "halt" | "resume", reason: string): Promise<RawReply> {
  return sendRaw(`${serving.url}/api/admin/v1`, {
    method: "POST",
    path: `/trading/${operation}`,
    authorization: `Basic ${Buffer.from(`desk:${PASSWORD}`).toString("base64")}`,
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ reason }),
  });
}

/** Stops until the log takes no more; a record of one with such a reason has 15 KB. */
async function fillOutput(): Promise<void> {
  for (let stops = 0; stops < 40; stops += 1) {
    expect((await post("halt", "\u0007".repeat(1_024))).status).toBe(200);
    if ((await post("resume", "\u0007".repeat(1_024))).status === 500) return;
  }
}

/** Two rounds: what the log cannot take must be seen each time. */
async function expectStopsOnly(reason: string): Promise<void> {
  for (let round = 0; round < 2; round += 1) {
    expect((await post("halt", reason)).status).toBe(200);
    const { status, body } = await post("resume", reason);
    expect({ status, body }).toEqual({ status: 500, body: expect.stringContaining("nothing was sent") });
  }
}

describe("standard output is the log: when it takes no records, changes are refused and stops continue (D-LOG 3)", () => {
  it("its reader has closed it", async () => {
    serving.closeOutput();
    await expectStopsOnly("drill");
    expect(await serving.stop("SIGTERM")).toBe(0);
    expect(serving.stderr).toBe("");
  });

  it("its reader does not read", async () => {
    serving.readOutput(false);
    await fillOutput();
    await expectStopsOnly("drill");
    expect(await serving.stop("SIGTERM")).toBe(0);
    expect(serving.stderr).toBe("");
  });

  it("its reader reads again: changes are accepted again, and no line is broken", async () => {
    serving.readOutput(false);
    await fillOutput();
    await expectStopsOnly("drill");
    serving.readOutput(true);
    await expect.poll(async () => (await post("resume", "reader is back")).status).toBe(200);
    expect(await serving.stop("SIGTERM")).toBe(0);
    const lines = serving.stdout.split("\n").filter((line) => line.startsWith("{"));
    const records = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(
      records
        .filter(({ reason }) => reason === "reader is back")
        .map(({ stage }) => stage)
        .slice(-2),
    ).toEqual(["intent", "applied"]);
  });
});
