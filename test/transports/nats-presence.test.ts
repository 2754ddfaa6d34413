import { connect, type Msg } from "@nats-io/transport-node";
import { afterAll, beforeAll, describe, expect, type TestContext, test } from "vitest";
import { EngineWatch, type NatsBus, type NatsTransport, type NatsTransportOptions } from "../../transports/nats.ts";
import { type NatsServer, startNatsServer } from "../support/nats-server.ts";
import { until } from "../support/until.ts";
import { Events, echo, fate } from "./support/link.ts";
import { OpenedNats } from "./support/nats-link.ts";

let server: NatsServer;
let prefixes = 0;

beforeAll(async () => {
  server = await startNatsServer();
});
afterAll(() => server.stop());

/** Subjects of its own for a test on the server that all share: they mostly wait, so they wait together. */
class Scene {
  readonly opened = new OpenedNats();
  readonly events = new Events();
  readonly options: NatsTransportOptions;

  constructor({ onTestFinished }: TestContext) {
    prefixes += 1;
    this.options = { servers: server.url, subjectPrefix: `presence-${prefixes}`, onEvent: this.events.onEvent };
    onTestFinished(() => this.opened.close());
  }

  get kinds(): string[] {
    return this.events.all.map(({ kind }) => kind);
  }

  transport(): Promise<NatsTransport> {
    return this.opened.connected(this.options);
  }

  /** An engine as this package has it, a NATS micro service. */
  async engine(stateId?: string): Promise<NatsBus> {
    const { servers, subjectPrefix } = this.options;
    const bus = await this.opened.bus({ servers, subjectPrefix, stateId });
    await bus.listen(echo);
    return bus;
  }

  /** An engine in another language: it replies to requests and is not a micro service. */
  async plainEngine() {
    const connection = this.opened.add(await connect({ servers: server.url }), (it) => it.close());
    const engine = { asked: [] as string[], isFrozen: false, leave: () => connection.close() };
    const callback = (_error: unknown, message: Msg): void => {
      engine.asked.push(message.subject);
      if (!engine.isFrozen) message.respond(JSON.stringify({ result: "plain" }));
    };
    connection.subscribe(`${this.options.subjectPrefix}.*`, { queue: "plain", callback });
    await connection.flush();
    return engine;
  }
}

async function rounds(count: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, count * 2_000 + 500));
}

describe.concurrent("D-LINK 15: a NATS link without an engine is down", () => {
  test("from when nobody listens, in one event, until an engine comes; a stop is sent meanwhile", async (context) => {
    const scene = new Scene(context);
    const transport = await scene.transport();
    await until(() => transport.state === "down", "the missing engine is noticed");
    expect(scene.events.of("gone")).toEqual([expect.stringMatching(/^No engine listens to presence-/)]);
    expect(await fate(transport, "halt", "stop")).toBe("unavailable, not sent");
    const bus = await scene.engine();
    expect(await fate(transport, "halt", "stop")).toBe("halt");
    await until(() => transport.state === "up", "the engine is noticed");
    await bus.close();
    await until(() => transport.state === "down", "its end is noticed");
    expect(scene.kinds).toEqual(["up", "gone", "here", "gone"]);
  });

  test("which an engine that is not a micro service ends with its first reply, and it does not flap", async (context) => {
    const scene = new Scene(context);
    const transport = await scene.transport();
    await until(() => transport.state === "down", "the missing engine is noticed");
    const plain = await scene.plainEngine();
    expect(await fate(transport, "halt", "stop")).toBe("plain");
    expect(transport.state).toBe("up");
    await rounds(3);
    expect(scene.kinds).toEqual(["up", "gone", "here"]);
    await plain.leave();
    await until(() => transport.state === "down", "its end is noticed");
    expect(scene.kinds).toEqual(["up", "gone", "here", "gone"]);
  });

  test("also where nobody sends anything: an engine that comes is found by a read", async (context) => {
    const scene = new Scene(context);
    const transport = await scene.transport();
    await until(() => transport.state === "down", "the missing engine is noticed");
    const { asked } = await scene.plainEngine();
    await until(() => transport.state === "up", "the engine is noticed");
    expect(new Set(asked)).toEqual(new Set([`${scene.options.subjectPrefix}.getTradingStatus`]));
  });

  test("an engine of another installation on the same servers does not count", async (context) => {
    const scene = new Scene(context);
    const other = await scene.opened.bus({ servers: server.url, subjectPrefix: "elsewhere" });
    await other.listen(echo);
    const transport = await scene.transport();
    await until(() => transport.state === "down", "the missing engine is noticed");
  });

  test("an engine that hangs is gone after a while, and here with its next reply", async (context) => {
    const scene = new Scene(context);
    const plain = await scene.plainEngine();
    const transport = await scene.transport();
    expect(await fate(transport, "r")).toBe("plain");
    plain.isFrozen = true;
    await until(() => transport.state === "down", "the silence is noticed");
    expect(scene.events.of("gone")).toEqual([expect.stringContaining("has not responded for 10 s")]);
    plain.isFrozen = false;
    await until(() => transport.state === "up", "the engine is noticed");
  });

  test("a user who may not ask for services is told so once, and still finds the engine", async (context) => {
    const scene = new Scene(context);
    const permissions = 'publish: "gateway.>", subscribe: "gateway.inbox.>"';
    const strict = await scene.opened.server({
      configuration: `authorization { users: [ { user: gw, password: hush, permissions: { ${permissions} } }, { user: eng, password: hush } ] }`,
    });
    const subjects = { servers: strict.url, subjectPrefix: "gateway" };
    const login = { ...subjects, user: "gw", password: "hush", onEvent: scene.events.onEvent };
    const transport = await scene.opened.connected(login);
    await until(() => transport.state === "down", "the missing engine is noticed");
    const bus = await scene.opened.bus({ ...subjects, user: "eng", password: "hush" });
    await bus.listen(echo);
    await until(() => transport.state === "up", "the engine is noticed");
    await rounds(2);
    expect(scene.events.of("problem")).toEqual([
      expect.stringContaining('Publish to "$SRV.INFO.trading-admin-engine"'),
    ]);
  });
});

describe.concurrent("D-LINK 11: a server that carries less than the description of the service", () => {
  test("gets it without endpoints, and the engine keeps its connection and is found", async (context) => {
    const scene = new Scene(context);
    const small = await scene.opened.server({ configuration: "max_payload: 2048" });
    const bus = await scene.opened.bus({ servers: small.url, onEvent: scene.events.onEvent });
    await bus.listen(echo);
    const transport = await scene.opened.connected({ servers: small.url, onEvent: scene.events.onEvent });
    const client = scene.opened.add(await connect({ servers: small.url }), (it) => it.close());
    const info = (await client.request("$SRV.INFO.trading-admin-engine")).json();
    expect(info).toMatchObject({ type: "io.nats.micro.v1.info_response", endpoints: [] });
    await rounds(2);
    expect(await fate(transport, "halt", "stop")).toBe("halt");
    // Of both ends; neither was lost.
    expect(scene.kinds).toEqual(["up", "up"]);
  });
});

describe.concurrent("D-LINK 16: engines with separate states on one bus", () => {
  /** Two links of one gateway, which share a watch. */
  async function watched(scene: Scene): Promise<EngineWatch> {
    const engineWatch = new EngineWatch(scene.events.onEvent);
    for (let link = 0; link < 2; link += 1) await scene.opened.connected({ ...scene.options, engineWatch });
    return engineWatch;
  }

  test("are reported once, counted, and reported again when one is left", async (context) => {
    const scene = new Scene(context);
    const [, second] = [await scene.engine(), await scene.engine()];
    const watch = await watched(scene);
    await until(() => watch.states === 2, "both are noticed");
    await rounds(2);
    expect(scene.events.of("split")).toEqual([expect.stringMatching(/^2 engines with separate states listen/)]);
    await second.close();
    await until(() => watch.states === 1, "one is left");
    expect(scene.events.of("here")).toEqual(["The engines that listen have one state again"]);
    expect(scene.events.of("split")).toHaveLength(1);
  });

  test("are none where they declare the same state, and two where only some do", async (context) => {
    const scene = new Scene(context);
    await scene.engine("book-1");
    await scene.engine("book-1");
    const watch = await watched(scene);
    await rounds(3);
    expect([watch.states, scene.kinds]).toEqual([1, ["up", "up"]]);
    await scene.engine();
    await until(() => watch.states === 2, "the third is noticed");
  });
});

describe.concurrent("D-LINK 17: an engine that was restarted over NATS", () => {
  test.for([
    ["without a state id", undefined],
    ["with one", "book-1"],
  ] as const)("is reported, %s", async ([, stateId], context) => {
    const scene = new Scene(context);
    const first = await scene.engine(stateId);
    const transport = await scene.transport();
    await rounds(1);
    await first.close();
    await scene.engine(stateId);
    await until(() => scene.events.of("restarted").length >= 1, "the restart is noticed");
    expect(transport.state).toBe("up");
  });
});

describe.concurrent("D-LINK 18: max_payload of the NATS servers", () => {
  test("a reply above 80 % of it is reported once for each operation, before one cannot be sent", async (context) => {
    const scene = new Scene(context);
    const small = await scene.opened.server({ configuration: "max_payload: 65536" });
    const bus = await scene.opened.bus({ servers: small.url });
    await bus.listen(async ({ context }) => ({ ok: true, result: "x".repeat(Number(context.requestId)) }));
    const transport = await scene.opened.connected({ servers: small.url, onEvent: scene.events.onEvent });
    for (const size of ["50000", "54000", "60000", "100"])
      expect(await fate(transport, size)).toHaveLength(Number(size));
    expect(scene.events.of("near-limit")).toEqual([
      expect.stringMatching(/^A reply to trading-admin.v1.listServices has 54\d\d\d bytes, 82 % of the 65536/),
    ]);
    await fate(transport, "60000", "stop");
    expect(scene.events.of("near-limit")).toHaveLength(2);
  });

  test.for([
    ["less than the largest body and what comes with it", 1_000_000, 1],
    ["enough", 100_000, 0],
  ] as const)("is compared with what the host accepts, at connect: %s", async ([, largestInput, warnings], context) => {
    const scene = new Scene(context);
    const proxy = await scene.opened.proxy(server);
    const servers = `nats://127.0.0.1:${proxy.port}`;
    const transport = await scene.opened.connected({ ...scene.options, servers, largestInput });
    proxy.destroyAll();
    await until(() => scene.events.of("up").length === 2 && transport.state === "up", "it is connected again");
    expect(scene.events.of("problem").filter((message) => message.includes("max_payload"))).toHaveLength(warnings);
  });
});
