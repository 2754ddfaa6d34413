// Start of the day: checks what has to be there before trading is resumed, and resumes it. Exits with 1 when something is missing.
//
//   npm install trading-admin-api
//   ADMIN_URL=http://127.0.0.1:8988 ADMIN_USER=alice ADMIN_PASSWORD=... node start-of-day.mjs
import { basic, confirmResumed, createClient } from "trading-admin-api/client";

const { ADMIN_URL = "http://127.0.0.1:8988", ADMIN_USER = "alice", ADMIN_PASSWORD = "" } = process.env;
const client = createClient({ baseUrl: ADMIN_URL, credentials: basic(ADMIN_USER, ADMIN_PASSWORD) });
const reason = `start of day ${new Date().toISOString().slice(0, 10)}`;

/** What keeps trading from being resumed, in words. */
async function problems() {
  const services = await client.listServices();
  const down = services.filter(({ enabled, status }) => enabled && status === "Disconnected");
  const unlimited = (await client.getRiskTable({ projection: "Account/Symbol" })).rows.filter(
    ({ limits }) => limits.MaxOrderSize === null,
  );
  return [
    ...down.map(({ name }) => `${name} is enabled and not connected`),
    ...unlimited.map(({ conditions }) => `no MaxOrderSize for ${JSON.stringify(conditions)}`),
  ];
}

const found = await problems();
for (const problem of found) console.error(`not ready: ${problem}`);
if (found.length > 0) process.exit(1);

const before = await client.getTradingStatus();
if (before.halted) {
  // Where two people are needed, the first call is refused with a text that says so: the second person runs this script too.
  await client.resumeTrading({ reason });
  await confirmResumed(client);
}
console.log(before.halted ? `resumed: ${reason}` : "trading was not halted");
