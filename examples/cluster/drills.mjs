// Each drill breaks something, looks, and mends it. `see(what, isSo, details)` prints what should be seen and whether it was.
import { setTimeout as pause } from "node:timers/promises";
import { until } from "./processes.mjs";
import { send } from "./requests.mjs";

const halt = (addresses, user, reason) => send(addresses, "POST", "/trading/halt", { user, body: { reason } });
const resume = (addresses, user, reason) => send(addresses, "POST", "/trading/resume", { user, body: { reason } });

/** Whether the engine, read through the gateway, shows this within a moment: it carries a command out after it has acknowledged it. */
async function shows({ url }, user, halted) {
  for (let tries = 0; tries < 20; tries += 1) {
    if ((await send([url], "GET", "/trading/status", { user })).json?.halted === halted) return true;
    await pause(100);
  }
  return false;
}

/** Halts again and again while `task` runs; returns how each was answered. */
async function haltsDuring(cluster, task) {
  const replies = [];
  let going = true;
  const caller = (async () => {
    while (going) {
      replies.push(await halt(cluster.front, cluster.users.alice, "drill"));
      await pause(20);
    }
  })();
  try {
    await pause(500);
    await task();
    await pause(2_000);
  } finally {
    going = false;
    await caller;
  }
  return replies;
}

function counts(replies) {
  const found = {};
  for (const { status } of replies) found[status] = (found[status] ?? 0) + 1;
  return JSON.stringify(found);
}

export const drills = {
  "halt-elsewhere": {
    what: "a resume that arrives slowly at one gateway, and a halt at the other one",
    async run({ gateways: [first, second], users: { alice, bob } }, see) {
      const body = pause(1_500, { reason: "slow" });
      const slow = send([first.url], "POST", "/trading/resume", { user: alice, body });
      await pause(500);
      const stop = await halt([second.url], bob, "after it");
      see("the halt is applied", stop.status === 200, stop.status);
      const change = await slow;
      see("the resume that arrived before it is refused, not applied", change.outcome === "not-applied", change.status);
      see("trading is halted", await shows(first, alice, true));
    },
  },

  "kill-gateway": {
    what: "kill -9 of the gateway that serves commands, while somebody halts again and again",
    async run(cluster, see) {
      const [first, second] = cluster.gateways;
      const replies = await haltsDuring(cluster, () => first.end("SIGKILL"));
      const others = replies.filter(({ status }) => status !== 200);
      see("at most the halt in progress has no outcome", others.length <= 1, counts(replies));
      see(
        "halts are applied through the other gateway",
        replies.slice(-5).every(({ status }) => status === 200),
      );
      see("trading is halted", await shows(second, cluster.users.bob, true));
      first.start();
      await cluster.ready(first);
    },
  },

  "rolling-restart": {
    what: "SIGTERM of one gateway after the other, while somebody halts again and again",
    async run(cluster, see) {
      const replies = await haltsDuring(cluster, async () => {
        for (const gateway of cluster.gateways) {
          await gateway.end("SIGTERM");
          gateway.start();
          await cluster.ready(gateway);
          // The balancer has to see it, too.
          await pause(1_500);
        }
      });
      // Without a balancer a caller may meet the socket in the moment in which it closes.
      const allowed = cluster.proxy ? 0 : cluster.gateways.length;
      const others = replies.filter(({ status }) => status !== 200);
      see("every halt is applied", others.length <= allowed, counts(replies));
    },
  },

  "freeze-gateway": {
    what: "a gateway hangs with a resume in its socket, trading is halted at the other one, and the first continues",
    async run(cluster, see) {
      const [first, second] = cluster.gateways;
      const { alice, bob } = cluster.users;
      first.freeze();
      try {
        const lost = await send([first.url], "POST", "/trading/resume", { user: alice, timeoutMs: 1_500 });
        see("the resume gets no answer", lost.status === "no answer", lost.status);
        const stop = await halt([second.url], bob, "after it");
        see("the halt at the other gateway is applied", stop.status === 200, stop.status);
      } finally {
        first.thaw();
      }
      await cluster.ready(first);
      await pause(2_000);
      see("trading is still halted when the first one has continued", await shows(second, bob, true));
    },
  },

  "freeze-nats": {
    what: "the NATS server of a gateway hangs with a halt in it; people halt elsewhere and give the all clear",
    async run(cluster, see) {
      const [first, second] = cluster.gateways;
      const { alice, bob } = cluster.users;
      const server = cluster.natsOf(first);
      see("the gateway's log says which server it is connected to", server !== undefined);
      if (server === undefined) return;
      server.freeze();
      let stuck;
      try {
        stuck = halt([first.url], alice, "stuck");
        await pause(500);
        const applied = async (command, reason) => (await command([second.url], bob, reason)).status === 200;
        await until("a halt at the other gateway is applied", () => applied(halt, "elsewhere"), 60_000);
        see("a halt at the other gateway is applied", await shows(second, bob, true));
        const { status } = await stuck;
        see("the stuck halt ends with an outcome", [200, 429, 503, 504].includes(status), status);
        await until("the all clear is applied", () => applied(resume, "all clear"), 60_000);
      } finally {
        server.thaw();
      }
      await pause(3_000);
      await cluster.ready(first);
      see("no old halt comes to life after the all clear", await shows(second, bob, false));
    },
  },

  "two-people": {
    what: "a command that needs a second person, who reaches the other gateway",
    async run({ gateways: [first, second], users: { alice, bob } }, see) {
      const path = "/positions/adjust";
      const body = { projectionPath: "Account[GOLD]/Symbol[AAPL]", size: "100", relative: true };
      const ask = await send([first.url], "POST", path, { user: alice, body });
      see("the first person is told that a second one is needed", ask.status === 403, ask.json?.message);
      const consent = await send([second.url], "POST", path, { user: bob, body });
      see("the second person's call at the other gateway is applied", consent.status === 200, consent.status);
      const again = await send([first.url], "POST", path, { user: alice, body });
      see(
        "the first person, who tries again, is told so, and it is not applied twice",
        again.status === 403,
        again.json?.message,
      );
    },
  },
};
