import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { MAX_REQUESTS_PER_USER } from "../../../src/core/records/waiting.ts";
import { NatsApprovals } from "../../../src/gateway/shared/nats-approvals.ts";
import { SharedNats } from "../../../src/gateway/shared/shared-nats.ts";
import { cases } from "../../support/extent.ts";
import { type NatsCluster, startNatsCluster } from "../../support/nats-cluster.ts";
import { until } from "../../support/until.ts";
import { freshPath, Gateway, WITHIN_MS } from "./support.ts";

let cluster: NatsCluster;
const opened: { close(): Promise<void> }[] = [];

beforeAll(async () => {
  cluster = await startNatsCluster(3);
  // A bucket that was just made has no leader yet: what is asked until then is refused as not sent.
  const first = await Gateway.open(cluster.urls, "first");
  const isReady = async () => (await first.resume("alice", freshPath())) !== "POLICY_FAILED";
  await until(isReady, "the bucket has a leader");
  await first.close();
});

afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
});

afterAll(() => cluster.stop());

async function gateway(name: string, users?: () => readonly string[]): Promise<Gateway> {
  const made = await Gateway.open(cluster.urls, name, users);
  opened.push(made);
  return made;
}

async function pair(): Promise<[Gateway, Gateway]> {
  return [await gateway("A"), await gateway("B")];
}

describe("D-SHARE 1: two people are enough, whichever gateways they reach", () => {
  it("one asks at one gateway, the other one sends at the other, in either order; the record names both", async () => {
    for (const [first, second] of [await pair(), (await pair()).reverse() as [Gateway, Gateway]]) {
      const path = freshPath();
      expect(await first.resume("alice", path, "venue is back")).toMatch(
        /needs a second person: requested by "alice" at gateway "[AB]"; another user must send the same command, at any gateway, by \d{4}-/,
      );
      expect(await second.resume("bob", path, "agreed")).toBe("sent");
      expect(second.rig.audit.records.at(-1)).toMatchObject({
        user: "bob",
        annotations: {
          requestedBy: "alice",
          requestReason: "venue is back",
          requestId: expect.stringMatching(/^alice-/),
        },
      });
    }
  });

  it("and what was asked for once is sent once: whoever asked is told who sent it", async () => {
    const [a, b] = await pair();
    const path = freshPath();
    expect(await a.resume("alice", path)).toContain('requested by "alice"');
    expect(await b.resume("bob", path)).toBe("sent");
    expect(await b.resume("alice", path)).toMatch(
      /was just sent by "bob" at gateway "B", as "alice" had asked, at \d{4}-.* \(request "bob-/,
    );
    expect(await a.resume("bob", path)).toContain('requested by "bob" at gateway "A"');
    expect([a, b].flatMap(({ rig }) => rig.received("resumeTrading"))).toHaveLength(1);
    // Who has been told may ask for it once more.
    expect(await b.resume("alice", path)).toBe("sent");
  });

  it("one of them is sent when both send at the same time, each time", async () => {
    const [a, b] = await pair();
    for (let round = 0; round < 50; round++) {
      const path = freshPath();
      const ends = await Promise.all([a.resume("alice", path), b.resume("bob", path)]);
      expect(ends.filter((end) => end === "sent")).toHaveLength(1);
    }
    expect([a, b].flatMap(({ rig }) => rig.received("resumeTrading"))).toHaveLength(50);
  });

  it("one of many second people is sent, and the others are told by whom", async () => {
    const [a, b] = await pair();
    for (let round = 0; round < cases(100); round++) {
      const path = freshPath();
      await a.resume("alice", path);
      const ends = await Promise.all(["bob", "carol", "dave"].map((user, at) => (at === 1 ? a : b).resume(user, path)));
      expect(ends.filter((end) => end === "sent")).toHaveLength(1);
      for (const end of ends) expect(end).toMatch(/^sent$|was just sent by "(bob|carol|dave)"/);
    }
    expect([a, b].flatMap(({ rig }) => rig.received("resumeTrading"))).toHaveLength(cases(100));
  });

  it("a gateway that was restarted in between makes no difference", async () => {
    const a = await gateway("A");
    const path = freshPath();
    await a.resume("alice", path);
    await opened.splice(0)[0]?.close();
    expect(await (await gateway("A")).resume("bob", path)).toBe("sent");
  });

  it("the same person in another spelling is one person, and another input is another command", async () => {
    const [a, b] = await pair();
    const path = freshPath();
    await a.resume("Zoë", path);
    expect(await b.resume("ZOE\u0308", path)).toContain("needs a second person");
    expect(await b.resume("bob", freshPath())).toContain('requested by "bob"');
    expect(await b.resume("bob", path)).toBe("sent");
  });

  it("who was removed since has asked for nothing, wherever that was", async () => {
    let users = ["alice", "bob"];
    const [a, b] = [await gateway("A", () => users), await gateway("B", () => users)];
    const path = freshPath();
    await a.resume("alice", path);
    users = ["bob"];
    expect(await b.resume("bob", path)).toContain('requested by "bob"');
    users = ["alice", "bob"];
    expect(await a.resume("alice", path)).toBe("sent");
  });

  it("nothing is sent twice while the leader of the store is killed: each pair of calls ends with one sent or with changes that were refused as not sent", async () => {
    const [a, b] = await pair();
    await a.resume("alice", freshPath());
    const leader = await cluster.leaderOf("KV_trading-admin-asks");
    async function isSentAgain(): Promise<boolean> {
      const path = freshPath();
      const ends = [await a.resume("alice", path), await b.resume("bob", path), await b.resume("alice", path)];
      for (const end of ends) expect(end).toMatch(/^sent$|^POLICY_FAILED$|needs a second person|was just sent/);
      const sent = [a, b]
        .flatMap(({ rig }) => rig.received("resumeTrading"))
        .filter(({ input }) => input.projectionPath === path);
      expect(sent.length).toBeLessThanOrEqual(1);
      expect(ends.filter((end) => end === "sent").length).toBeLessThanOrEqual(1);
      return ends.includes("sent");
    }
    try {
      const killed = leader.crash();
      for (let round = 0; round < 5; round++) await isSentAgain();
      await until(isSentAgain, "a command is sent again");
      await killed;
    } finally {
      await leader.restart();
    }
  });
});

describe("D-SHARE 2: a store over NATS", () => {
  async function store(withinMs = WITHIN_MS): Promise<NatsApprovals> {
    const shared = new SharedNats({ servers: cluster.urls.split(",") }, () => {});
    const log = { info: () => {}, warn: () => {}, error: () => {} };
    const made = new NatsApprovals(shared, { withinMs, stepMs: 30_000, log });
    shared.start();
    opened.push(shared);
    await until(() => shared.connection, "the store is connected");
    // The case before has killed its leader.
    const responds = () =>
      made.list("").then(
        () => true,
        () => false,
      );
    await until(responds, "the store responds");
    return made;
  }

  function ask(command: string, user: string) {
    return { command, user, requestId: `${user}-1`, at: Date.now() };
  }

  it("keeps each user's requests apart: who has too many loses their own oldest one", async () => {
    const kept = await store();
    const commands = Array.from({ length: MAX_REQUESTS_PER_USER + 3 }, (_, at) => `c${at}`);
    await kept.put(ask("c0", "bob"));
    for (const command of commands) await kept.put(ask(command, "mallory"));
    const users = async (command: string) => (await kept.list(command)).map(({ request: { user } }) => user);
    expect(await users("c0")).toEqual(["bob"]);
    expect(await users("c2")).toEqual([]);
    expect(await users("c3")).toEqual(["mallory"]);
    expect(await users(`c${MAX_REQUESTS_PER_USER + 2}`)).toEqual(["mallory"]);
  });

  it("gives a request to one of many takers, and says to the others who that is", async () => {
    const stores = [await store(), await store(), await store()];
    for (let round = 0; round < cases(400); round++) {
      const revision = await (stores[0] as NatsApprovals).put(ask(`take-${round}`, "alice"));
      const takers = stores.map((each, at) => each.take(revision, { user: `u${at}`, requestId: `r${at}`, at: 0 }));
      const others = await Promise.all(takers);
      const winner = others.indexOf(undefined);
      expect(others.filter((other) => other === undefined)).toHaveLength(1);
      for (const other of others) expect(other?.user ?? `u${winner}`).toBe(`u${winner}`);
    }
  });

  it("is on three servers, and keeps requests as long as the longest time that a gateway needs", async () => {
    await (await store(WITHIN_MS)).list("x");
    await (await store(2 * WITHIN_MS)).list("x");
    await (await store(WITHIN_MS)).list("x");
    const connection = await connect({ servers: cluster.urls.split(",") });
    const { streams } = await jetstreamManager(connection);
    // A server that leads the stream since a moment ago may not have applied the update yet.
    const settings = async () => {
      const { config } = await streams.info("KV_trading-admin-asks");
      return [config.num_replicas, config.max_age];
    };
    await expect.poll(settings).toEqual([3, 2 * WITHIN_MS * 1_000_000]);
    await connection.close();
  });
});
