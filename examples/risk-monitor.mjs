// A risk monitor: watches positions through the typed client and halts an account whose loss is too large.
//
//   npm install trading-admin-api
//   ADMIN_URL=http://127.0.0.1:8988 ADMIN_USER=monitor ADMIN_PASSWORD=... MAX_LOSS=100000 node risk-monitor.mjs
//
// Let its user stop and nothing else: `admin.policy.stop-only: [monitor]`.
import { setTimeout as pause } from "node:timers/promises";
import { basic, confirmHalted, createClient } from "trading-admin-api/client";

const {
  ADMIN_URL = "http://127.0.0.1:8988",
  ADMIN_USER = "monitor",
  ADMIN_PASSWORD = "",
  MAX_LOSS = "100000",
} = process.env;
const client = createClient({ baseUrl: ADMIN_URL, credentials: basic(ADMIN_USER, ADMIN_PASSWORD) });
const halted = new Set();

async function look() {
  const positions = await client.listPositions({ projection: "Account/Symbol" });
  const losses = Map.groupBy ? Map.groupBy(positions, ({ account }) => account) : groupedByAccount(positions);
  for (const [account, rows] of losses) {
    const result = rows.reduce(
      (sum, { realizedPnL, unrealizedPnL }) => sum + Number(realizedPnL) + Number(unrealizedPnL),
      0,
    );
    if (result >= -Number(MAX_LOSS) || halted.has(account)) continue;
    const projectionPath = `Account[${account}]`;
    await client.haltTrading({ projectionPath, reason: `loss of ${-result} is above ${MAX_LOSS}` });
    await confirmHalted(client, projectionPath);
    halted.add(account);
    console.log(`halted ${projectionPath}`);
  }
}

/** `Map.groupBy` needs Node 21. */
function groupedByAccount(positions) {
  const groups = new Map();
  for (const row of positions) groups.set(row.account, [...(groups.get(row.account) ?? []), row]);
  return groups;
}

const rounds = Number(process.env.ROUNDS ?? Number.POSITIVE_INFINITY);
for (let round = 0; round < rounds; round += 1) {
  // A monitor that cannot see keeps looking, and says so.
  await look().catch((error) => console.error(`cannot watch: ${error.message}`));
  await pause(Number(process.env.INTERVAL_MS ?? 1_000));
}
