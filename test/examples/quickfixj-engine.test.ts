import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { BusMethod } from "../../src/core/operations/table.ts";
import { requireCommand } from "../cli/command.ts";
import { Workplace } from "../cli/workplace.ts";
import { ask } from "./python-engine-gateway.ts";
import { CLIENTS, FOLDER, QuickFixRig, TOKEN } from "./quickfixj-engine-rig.ts";

const LANDMARKS = join(FOLDER, "landmarks.yaml");
const CLIENT1 = { gateway: "OE1", session: "CLIENT1" };

let rig: QuickFixRig;
let orders = 0;

beforeAll(async () => {
  await requireCommand();
  rig = await QuickFixRig.start();
  // Maven fetches some ten megabytes the first time.
}, 600_000);

afterAll(() => rig?.close());

/** Sends a request that has to be carried out; returns its result. */
async function call<Result = unknown>(method: BusMethod, input: unknown): Promise<Result> {
  const reply = await ask(rig.transport, method, input);
  if (!reply.ok) throw new Error(`${method}: ${reply.message}`);
  return reply.result as Result;
}

async function halt(projectionPath: string, reason: string, cancelOrders = false): Promise<void> {
  await call("haltTrading", { projectionPath, reason, cancelOrders });
}

async function resume(projectionPath: string): Promise<void> {
  await call("resumeTrading", { projectionPath, reason: "done" });
}

/** An id that no other order has. */
function nextId(): string {
  orders += 1;
  return `T${orders}`;
}

/** A field of a message as the client prints it. */
function reported(id: string, ...fields: readonly string[]): RegExp {
  return new RegExp(`^< .*\\|35=8\\|(?=.*\\|11=${id}\\|)${fields.map((field) => `(?=.*\\|${field}\\|)`).join("")}`);
}

describe("D-ENG 40: an order router on QuickFIX/J behind the contract, with a venue and clients in processes of their own", () => {
  let workplace: Workplace;

  beforeEach(() => {
    workplace = new Workplace();
  });

  afterEach(async () => {
    for (const path of ["", "Account[GOLD]"]) await resume(path);
    await workplace.close();
  });

  it("passes each case of the conformance kit but those about algorithms and a second limit, which it does not have", async () => {
    workplace.write("token", `${TOKEN}\n`);
    const judge = ["conformance", rig.url, "--token-file", "token", "--landmarks", LANDMARKS, "-o", "json"];
    const { code, stdout } = await workplace.run(judge);
    const { passed, failed, reasons } = JSON.parse(stdout);
    expect({ code, failed, reasons }).toEqual({
      code: 0,
      failed: 0,
      reasons: { "no algorithm": 2, "no second limit of a risk table": 1 },
    });
    expect(passed).toBeGreaterThan(60);
    for (const name of CLIENTS) await expect.poll(() => statusOf(name)).toBe("Connected");
    // The kit disables this one as well; without the venue each order is refused.
    await expect.poll(() => statusOf("VENUE", "VENUES")).toBe("Connected");
  }, 240_000);

  it("a halt of an account refuses its orders with the reason, and no other account's", async () => {
    const client = rig.clients.CLIENT1;
    await halt("Account[GOLD]", "limit breach");
    const [refused, filled] = [nextId(), nextId()];
    client.say(`${refused} buy 10 AAPL GOLD`);
    await client.prints(
      reported(refused, "150=8", "39=8", "103=0", "58=Trading halted at Account\\[GOLD\\]: limit breach"),
    );
    client.say(`${filled} buy 10 AAPL SILVER`);
    await client.prints(reported(filled, "150=F", "39=2"));
  });

  it("a system-wide halt with cancelOrders cancels the orders of all clients; after a resume they are filled again", async () => {
    const ids = { CLIENT1: nextId(), CLIENT2: nextId(), CLIENT3: nextId() };
    for (const name of CLIENTS) rig.clients[name].say(`${ids[name]} buy 70 MSFT GOLD 99.5`);
    for (const name of CLIENTS) await rig.clients[name].prints(reported(ids[name], "150=0"));
    expect(await openBuySize("MSFT")).toBe("210");
    await halt("", "drill", true);
    for (const name of CLIENTS) await rig.clients[name].prints(reported(ids[name], "150=4", "39=4"));
    expect(await openBuySize("MSFT")).toBe("0");
    await resume("");
    const after = nextId();
    rig.clients.CLIENT2.say(`${after} sell 5 MSFT GOLD`);
    await rig.clients.CLIENT2.prints(reported(after, "150=F"));
  });

  it("a halt under load: of 200 orders a second from three sessions none is filled that arrived after the engine accepted it", async () => {
    const sent = new Map<string, string[]>(CLIENTS.map((name) => [name, []]));
    const send = (name: (typeof CLIENTS)[number]): void => {
      const id = nextId();
      sent.get(name)?.push(id);
      rig.clients[name].say(`${id} buy 1 MSFT LOADED`);
    };
    const sendFor = async (orders: number): Promise<void> => {
      for (let count = 0; count < orders; count += 1) {
        send(CLIENTS[count % CLIENTS.length] ?? "CLIENT1");
        await delay(5);
      }
    };
    const counts = (): Map<string, number> => new Map(CLIENTS.map((name) => [name, sent.get(name)?.length ?? 0]));
    await sendFor(300);
    // What is sent when the halt has been replied to arrives after the engine accepted it.
    const [later] = await Promise.all([halt("", "stop").then(counts), sendFor(300)]);
    let filled = 0;
    for (const name of CLIENTS) {
      const orders = sent.get(name) ?? [];
      const ends = await endsOf(name, orders);
      const firstRefused = orders.findIndex((id) => ends.get(id) === REFUSED);
      expect(firstRefused).toBeGreaterThanOrEqual(1);
      expect(firstRefused).toBeLessThanOrEqual(later.get(name) ?? 0);
      // A session's orders arrive in the order in which they were sent: the engine accepts none behind one that it refused.
      expect(orders.map((id) => ends.get(id))).toEqual(orders.map((_, at) => (at < firstRefused ? FILLED : REFUSED)));
      filled += firstRefused;
    }
    expect(await call("listPositions", { projection: "Account/Symbol", account: "LOADED" })).toMatchObject([
      { size: String(filled), openBuySize: "0" },
    ]);
  });

  it("a client cancels its order while trading is halted", async () => {
    const [client, id] = [rig.clients.CLIENT3, nextId()];
    client.say(`${id} buy 3 SAP GOLD 99.5`);
    await client.prints(reported(id, "150=0"));
    await halt("", "no orders");
    client.say(`cancel ${id}`);
    await client.prints(new RegExp(`^< .*\\|35=8\\|.*\\|11=${id}-cancel1\\|.*\\|41=${id}\\|.*\\|150=4\\|`));
  });

  it("an order above MaxOrderSize is refused, and so is one while the connector is disabled", async () => {
    const client = rig.clients.CLIENT2;
    const [large, late] = [nextId(), nextId()];
    client.say(`${large} buy 10001 AAPL GOLD`);
    await client.prints(reported(large, "150=8", "103=3", "58=MaxOrderSize 10000 of [^|]* exceeded"));
    await call("disableService", { name: "VENUE", reason: "maintenance" });
    client.say(`${late} buy 1 AAPL GOLD`);
    await client.prints(reported(late, "150=8", "58=VENUE is disabled"));
    await call("enableService", { name: "VENUE", reason: "maintenance is over" });
  });

  it("positions come from fills: average cost, realized P&L, and digits that no double has", async () => {
    const client = rig.clients.CLIENT2;
    const path = "Account[TRACKED]/Symbol[EUR/USD]";
    await call("adjustPosition", {
      projectionPath: path,
      size: "10",
      relative: false,
      averageCost: "99.1",
      realizedPnL: "0.1",
    });
    const id = nextId();
    client.say(`${id} sell 4 EUR/USD TRACKED`);
    await client.prints(reported(id, "150=F"));
    const filters = { projection: "Account/Symbol", account: "TRACKED" };
    expect(await call("listPositions", filters)).toMatchObject([
      { size: "6", averageCost: "99.1", realizedPnL: "3.7" },
    ]);
  });

  it("disable logs a client out with a text and refuses its logons; enable lets it in, with equal numbers at both ends", async () => {
    const client = rig.clients.CLIENT1;
    expect(await call("disableFixSession", CLIENT1)).toMatchObject({ status: "Disabled", remotePort: null });
    await client.prints(/^< .*\|35=5\|.*\|58=Session is disabled\|/);
    await client.prints(/^logged out$/);
    await client.prints(/^< .*\|35=5\|.*\|58=Logon attempt when session is disabled\|/);
    expect(await statusOf("CLIENT1")).toBe("Disabled");
    await call("enableFixSession", CLIENT1);
    await client.prints(/^logged on$/);
    await expectEqualNumbers();
  });

  it("disconnect logs a client out with a text, and it comes back", async () => {
    const client = rig.clients.CLIENT1;
    const before = await call<{ connectTimestamp: number }>("getFixSession", CLIENT1);
    await call("disconnectFixSession", CLIENT1);
    await client.prints(/^< .*\|35=5\|.*\|58=Session is disconnected\|/);
    await client.prints(/^logged on$/);
    await expect
      .poll(() => call("getFixSession", CLIENT1))
      .toMatchObject({
        status: "Connected",
        connectTimestamp: expect.toSatisfy((time) => time > before.connectTimestamp),
      });
  });

  it("killed and started again, it continues with its sequence numbers, and orders are filled", async () => {
    await rig.restartEngine();
    for (const name of CLIENTS) await rig.clients[name].prints(/^logged on$/);
    await expect.poll(() => statusOf("VENUE", "VENUES")).toBe("Connected");
    const id = nextId();
    rig.clients.CLIENT1.say(`${id} buy 5 AAPL GOLD`);
    await rig.clients.CLIENT1.prints(reported(id, "150=F"));
    await expectEqualNumbers();
  });
});

const FILLED = "F";
const REFUSED = "8";

/** What happened to orders of a client, by ExecType of the last report; each has one. */
async function endsOf(name: (typeof CLIENTS)[number], orders: readonly string[]): Promise<Map<string, string>> {
  const ends = new Map<string, string>();
  while (ends.size < orders.length) {
    const [line] = await rig.clients[name].prints(/^< .*\|35=8\|.*\|150=[F8]\|.*/);
    const [id = "", type = ""] = [11, 150].map((tag) => new RegExp(`\\|${tag}=([^|]*)\\|`).exec(line)?.[1]);
    if (!orders.includes(id)) continue;
    expect(ends.get(id)).toBeUndefined();
    if (type === REFUSED) expect(line).toContain("|58=Trading halted: stop|");
    ends.set(id, type);
  }
  return ends;
}

async function statusOf(session: string, gateway = "OE1"): Promise<string> {
  return (await call<{ status: string }>("getFixSession", { gateway, session })).status;
}

async function openBuySize(symbol: string): Promise<string | undefined> {
  const filters = { projection: "Account/Symbol", account: "GOLD", symbol };
  const [position] = await call<{ openBuySize: string }[]>("listPositions", filters);
  return position?.openBuySize;
}

/** Both ends of the session agree on what was sent, once resends have ended. */
async function expectEqualNumbers(): Promise<void> {
  await expect
    .poll(async () => {
      const [outbound, inbound] = await rig.clients.CLIENT1.numbers();
      const session = await call<{ inboundSequence: number; outboundSequence: number }>("getFixSession", CLIENT1);
      return [session.inboundSequence - (outbound ?? 0), session.outboundSequence - (inbound ?? 0)];
    })
    .toEqual([0, 0]);
}
