// An engine that is slow and cheap: it answers every request after a while with what is there already, so that its own work
// does not count. Arguments: `websocket`, or `nats` and the URL of the server. Says the URL it listens on, and how often each
// halt has reached it when it is asked with `halts`. From `{ flood: kind }` on it sends what nobody asked for, until `{ flood: undefined }`.
import { connect } from "@nats-io/transport-node";
import { WebSocketServer } from "ws";

const ROWS = 10_000;
const READ_MS = 300;
const COMMAND_MS = 20;

const row = (index) => ({
  projection: `Account[A${index % 100}]/Symbol[S${index}]`,
  account: `A${index % 100}`,
  symbol: `S${index}`,
  size: "-12.5000",
  averageCost: "101.25",
  realizedPnL: "12.25",
  unrealizedPnL: null,
  marketValue: "125.000",
  totalCommission: "0.25",
  openBuySize: "10",
  openSellSize: "0",
});

const riskRow = (index) => ({
  conditions: { Account: `A${index % 100}`, Symbol: `S${index}` },
  limits: { MaxOrderSize: "100", MaxOrderNotional: null },
});

const positions = Array.from({ length: ROWS }, (_, index) => row(index));
const status = { projectionPath: "", halted: true, reason: "drill" };
const results = new Map(
  Object.entries({
    listPositions: positions,
    listServices: [],
    getTradingStatus: status,
    updateRiskTable: { projection: "", rows: Array.from({ length: ROWS }, (_, index) => riskRow(index)) },
  }).map(([method, result]) => [method, Buffer.from(JSON.stringify(result))]),
);
const none = Buffer.from("null");
/** Positions by currency. */
const few = Buffer.from(JSON.stringify([row(0)]));
/** By account: as many as are not yet a long list. */
const some = Buffer.from(JSON.stringify(positions.slice(0, 240)));
const byProjection = { Currency: few, Account: some };
const halts = {};

/** What a flood sends, so many at a time to each link, as long as no more than so many bytes wait to be sent. */
const FLOODS = {
  replies: (link) => link.send('{"jsonrpc":"2.0","id":999999999,"result":null}'),
  pings: (link) => link.ping(),
  reports: (link) => link.send('{"jsonrpc":"2.0","method":"engine.status","params":{"overloaded":false}}'),
};
const FLOOD_AT_A_TIME = 500;
const FLOOD_WAITING_BYTES = 64 * 1024;
const links = new Set();
let sendOne;

function flood() {
  if (!sendOne) return;
  for (const link of links) {
    for (let sent = 0; sent < FLOOD_AT_A_TIME && link.bufferedAmount < FLOOD_WAITING_BYTES; sent += 1) sendOne(link);
  }
  setImmediate(flood);
}

/** Hands the result over when the engine would have it. */
function work(method, { context, input } = {}, done) {
  const id = context?.requestId;
  if (method === "haltTrading") halts[id] = (halts[id] ?? 0) + 1;
  const result = (method === "listPositions" && byProjection[input?.projection]) || (results.get(method) ?? none);
  setTimeout(() => done(result), method.startsWith("list") ? READ_MS : COMMAND_MS);
}

function serveWebSocket() {
  const server = new WebSocketServer({
    host: "127.0.0.1",
    port: 0,
    perMessageDeflate: false,
    handleProtocols: (protocols) => [...protocols][0],
  });
  server.on("connection", (socket) => {
    links.add(socket);
    socket.once("close", () => links.delete(socket));
    socket.on("error", () => {});
    socket.on("message", (data) => {
      const { id, method, params } = JSON.parse(data.toString());
      work(method, params, (result) => {
        // Three fragments, so that a long result is not copied for each.
        socket.send(`{"jsonrpc":"2.0","id":${id},"result":`, { fin: false });
        socket.send(result, { fin: false, binary: false });
        socket.send("}");
      });
    });
  });
  return new Promise((resolve) => {
    server.on("listening", () => resolve(`ws://127.0.0.1:${server.address().port}`));
  });
}

async function serveNats(url) {
  const connection = await connect({ servers: url });
  const replies = new Map([none, few, some, ...results.values()].map((result) => [result, `{"result":${result}}`]));
  connection.subscribe("trading-admin.v1.*", {
    callback: (_error, message) => {
      const method = message.subject.split(".").at(-1);
      work(method, message.json(), (result) => message.respond(replies.get(result)));
    },
  });
  await connection.flush();
  return url;
}

const [bus, server] = process.argv.slice(2);
process.send({ url: await (bus === "nats" ? serveNats(server) : serveWebSocket()) });
process.on("message", (message) => {
  if (message === "halts") process.send({ halts });
  else {
    sendOne = FLOODS[message.flood];
    flood();
  }
});
process.once("disconnect", () => process.exit(0));
