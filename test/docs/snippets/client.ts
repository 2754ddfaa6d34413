// #region create
import { basic, createClient } from "trading-admin-api/client";

const client = createClient({
  baseUrl: "https://monitor:8988",
  credentials: basic("operator", process.env.OPERATOR_PASSWORD ?? ""),
});

const services = await client.listServices();
const table = await client.getRiskTable({ projection: "Source" });
await client.updateRiskTable({
  projection: "Source",
  commands: [{ type: "UPDATE", conditions: { Source: "*" }, limits: { MaxOrderSize: "100000" } }],
});

// #endregion

// #region halt
import { confirmHalted, DeniedError, OutcomeUnknownError } from "trading-admin-api/client";

const halt = { reason: "fat finger", cancelOrders: true };
const before = await client.getTradingStatus();
let isReplyLost = false;
try {
  await client.haltTrading(halt);
} catch (error) {
  if (error instanceof DeniedError) process.exitCode = 2;
  if (!(error instanceof OutcomeUnknownError)) throw error;
  isReplyLost = true;
}
// Throws NotConfirmedError unless the engine shows it, and no open orders.
const state = await confirmHalted(client, "", { ...halt, before, isReplyLost });
// #endregion

// #region options
const quick = createClient({
  baseUrl: "https://monitor:8988",
  credentials: basic("operator", process.env.OPERATOR_PASSWORD ?? ""),
  retryReads: false, // or { retries: 5, withinMs: 60_000 }
  timeoutMs: 12_000, // of one try; 15 s by default, longer than the engine's 10 s
  onWarning: ({ operation, message }) => process.stderr.write(`${operation}: ${message}\n`),
});
const status = await quick.getTradingStatus({}, { signal: AbortSignal.timeout(20_000) });

// #endregion

// #region tokens
import { bearer, clientCredentials } from "trading-admin-api/client";

const tokens = clientCredentials({
  tokenUrl: "https://login:8443/token",
  clientId: "kill-switch-bot",
  clientSecret: process.env.BOT_SECRET ?? "",
  resource: "urn:rs256:trading-admin", // or audience, or scope, as the provider wants it
});
const bot = createClient({ baseUrl: "https://gateway:8988", credentials: bearer(tokens) });
await bot.haltTrading({ projectionPath: "Account[GOLD]", reason: "limit breach" });

// #endregion

export { services, state, status, table };
