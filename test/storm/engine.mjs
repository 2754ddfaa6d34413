// An engine that is slow and cheap: it answers every request after a while with what is there already, so that its own work
// does not count. Prints the URL it listens on.
import { WebSocketServer } from "ws";

const ROWS = 10_000;
const READ_MS = 300;
const COMMAND_MS = 20;

const row = (index) => ({
  projection: `Exchange[X${index % 7}]/Symbol[S${index}]`,
  exchange: `X${index % 7}`,
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

const positions = Array.from({ length: ROWS }, (_, index) => row(index));
const status = { projectionPath: "", halted: true, reason: "drill" };
const results = new Map(
  Object.entries({ listPositions: positions, listServices: [], getTradingStatus: status }).map(([method, result]) => [
    method,
    Buffer.from(JSON.stringify(result)),
  ]),
);
const none = Buffer.from("null");

/** A reply in three fragments, so that a long result is not copied for each. */
function reply(socket, id, result) {
  socket.send(`{"jsonrpc":"2.0","id":${id},"result":`, { fin: false });
  socket.send(result, { fin: false, binary: false });
  socket.send("}");
}

const server = new WebSocketServer({
  host: "127.0.0.1",
  port: 0,
  perMessageDeflate: false,
  handleProtocols: (protocols) => [...protocols][0],
});
server.on("connection", (socket) => {
  socket.on("message", (data) => {
    const { id, method } = JSON.parse(data.toString());
    const result = results.get(method) ?? none;
    setTimeout(() => reply(socket, id, result), method.startsWith("list") ? READ_MS : COMMAND_MS);
  });
});
server.on("listening", () => process.send({ url: `ws://127.0.0.1:${server.address().port}` }));
