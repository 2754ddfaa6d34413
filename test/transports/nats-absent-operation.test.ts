import { connect, type Msg } from "@nats-io/transport-node";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type NatsServer, startNatsServer } from "../support/nats-server.ts";
import { until } from "../support/until.ts";
import { Events, fate, outcome, request } from "./support/link.ts";
import { OpenedNats } from "./support/nats-link.ts";

const PREFIX = "small-engine";
const opened = new OpenedNats();

let server: NatsServer;

beforeAll(async () => {
  server = await startNatsServer();
});
afterEach(() => opened.close());
afterAll(() => server.stop());

/** An engine in another language that listens to these operations only. */
async function engineWith(
  operations: readonly string[],
  { isService }: { readonly isService: boolean },
): Promise<void> {
  const connection = opened.add(await connect({ servers: server.url }), (it) => it.close());
  const subjects = operations.map((name) => `${PREFIX}.${name}`);
  const answer = (_: unknown, message: Msg): void => void message.respond(JSON.stringify({ result: "done" }));
  for (const subject of subjects) connection.subscribe(subject, { queue: "engine", callback: answer });
  const info = { name: "trading-admin-engine", id: "one", endpoints: subjects.map((subject) => ({ subject })) };
  const describe = (_: unknown, message: Msg): void => void message.respond(JSON.stringify(info));
  if (isService) connection.subscribe("$SRV.INFO.trading-admin-engine", { callback: describe });
  await connection.flush();
}

async function gateway() {
  const events = new Events();
  const options = { servers: server.url, subjectPrefix: PREFIX, onEvent: events.onEvent };
  return { transport: await opened.connected(options), events };
}

const LIST = { ...request("list"), method: "listHalts" } as const;

describe("D-ENG 30: an operation to which an engine on NATS does not listen is certain not to have been carried out", () => {
  it("a micro service names what it listens to: anything else is not supported, and the engine stays present", async () => {
    await engineWith(["getTradingStatus", "resumeTrading"], { isService: true });
    const { transport, events } = await gateway();
    const halt = () => fate(transport, "halt", "stop");
    // Until the engine has named them, nobody can say whether there is one.
    await until(async () => (await halt()) !== "unavailable, not sent", "the description of the engine");
    await until(() => transport.state === "up", "the engine is known to be there");
    const goneBefore = events.of("gone");
    expect(await halt()).toBe(`unsupported: No engine listens to ${PREFIX}.haltTrading`);
    expect(await outcome(() => transport.exchange(LIST).reply)).toMatch(/^unsupported: /);
    expect(await fate(transport, "resume", "change")).toBe("done");
    expect([transport.state, events.of("gone")]).toEqual(["up", goneBefore]);
  });

  it("of an engine that is not one, that holds for what it need not have; for the rest there may be no engine", async () => {
    await engineWith(["getTradingStatus", "resumeTrading"], { isService: false });
    const { transport } = await gateway();
    expect(await outcome(() => transport.exchange(LIST).reply)).toMatch(/^unsupported: /);
    expect(await fate(transport, "halt", "stop")).toBe("unavailable, not sent");
  });

  it("without any engine nothing is unsupported for long: the link is down, and what is sent is unavailable", async () => {
    const { transport } = await gateway();
    await until(() => transport.state === "down", "the missing engine is noticed");
    expect(await outcome(() => transport.exchange(LIST).reply)).toBe("unavailable, not sent");
  });
});
