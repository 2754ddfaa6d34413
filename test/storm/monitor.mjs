// A monitor backend: it answers at once and switches to WebSockets that stay open until the other side ends them. Where the path
// begins with `/silent` it never answers, and does not even see that the other side has ended.
// Where it begins with `/endless`, it sends without end, as fast as the other side reads; with `/often`, a little each millisecond.
// `/together` are answered, and switched connections ended, all at the same time, twice a second; `/lost` are cut off so.
// Prints the URL it listens on.
import { createServer } from "node:http";

const BODY = JSON.stringify({ status: "up" });

const PIECE = Buffer.alloc(64 * 1024, "x");

function sendWithoutEnd(stream) {
  const write = () => {
    while (!stream.destroyed && stream.write(PIECE));
  };
  stream.on("drain", write);
  write();
}

function sendOften(stream) {
  const timer = setInterval(() => stream.write(BODY), 1);
  stream.once("close", () => clearInterval(timer));
}

const TOGETHER_MS = 500;

/** What is done to all that wait, at the same time. */
const waiting = new Set();
setInterval(() => {
  for (const end of waiting) end();
  waiting.clear();
}, TOGETHER_MS);

const server = createServer((request, response) => {
  if (request.url.startsWith("/together")) return waiting.add(() => response.end(BODY));
  if (request.url.startsWith("/lost")) return waiting.add(() => request.socket.destroy());
  if (request.url.startsWith("/silent")) return;
  if (request.url.startsWith("/endless")) return sendWithoutEnd(response);
  if (request.url.startsWith("/often")) return sendOften(response);
  response.writeHead(200, { "Content-Type": "application/json", "Content-Length": BODY.length });
  response.end(BODY);
});
server.on("upgrade", (request, socket) => {
  socket.on("error", () => {});
  if (!request.url.startsWith("/silent")) socket.once("end", () => socket.end()).resume();
  socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
  if (request.url.startsWith("/together")) waiting.add(() => socket.end());
  if (request.url.startsWith("/lost")) waiting.add(() => socket.destroy());
  if (request.url.startsWith("/endless")) sendWithoutEnd(socket);
  if (request.url.startsWith("/often")) sendOften(socket);
});
server.listen(0, "127.0.0.1", 4_096, () => process.send({ url: `http://127.0.0.1:${server.address().port}` }));
process.once("disconnect", () => process.exit(0));
