// Ways of using up a server's time. Each takes `{ target, connections, requests, count }` and never ends.
import http from "node:http";
import https from "node:https";
import net from "node:net";
import tls from "node:tls";

/** Longest pause before a connection that ended is opened again. */
const REOPEN_MS = 20;
/** The same for connections that are only held: what cannot be had now is not tried for thousands of times a second. */
const HOLD_AGAIN_MS = 1_000;
/** Connections that are begun at once; more would only wait in the listen queue. */
const BURST = 100;
const BURST_MS = 10;

/** Bytes that are written one by one in a turn. */
const SHREDS = 500;

/** One write of a stream. */
const STREAM_BYTES = 64 * 1024;

/** Sessions of the FIX port that a flood logs on: FIXCLIENT0 and so on. */
const SESSIONS = 8;

/** What a FIX port has to skip, in one way or another: noise, beginnings, messages whose length or checksum is wrong, a long one. */
const GARBLED = [
  "x",
  "8=FIX",
  "8=FIX.4.4\x019=5\x0135=0\x0110=000\x01",
  "8=FIX.4.4\x019=999\x0135=0\x01",
  `8=FIX.4.4\x019=9007\x0135=D\x01${"x".repeat(9_002)}10=999\x01`,
].map((text) => Buffer.from(text.repeat(Math.ceil(STREAM_BYTES / text.length)), "latin1"));

const STATUS_LINE = Buffer.from("HTTP/1.1 ");

/** A request as it goes over the wire. */
function printed({ method, path, headers = {}, body = "" }) {
  const framing = headers["transfer-encoding"] || body === "" ? {} : { "content-length": Buffer.byteLength(body) };
  const lines = Object.entries({ host: "gateway", ...headers, ...framing }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`);
}

/** Keeps connections open, each of which `use` gets when it stands; with `raw` also those to a TLS port speak no TLS. */
function keepOpen({ target, connections, count, from, raw = false, pauseMs = REOPEN_MS }, use) {
  const secure = target.tls && !raw;
  const open = (index) => {
    const { host, port } = target;
    const place = { host, port, localAddress: from };
    const socket = secure ? tls.connect({ ...place, rejectUnauthorized: false }) : net.connect(place);
    socket.once(secure ? "secureConnect" : "connect", () => use(socket, index));
    socket.on("error", ({ code }) => count(code));
    // What was closed together does not come back together: it would only lose its way in the listen queue.
    socket.once("close", () => setTimeout(open, Math.random() * pauseMs, index));
  };
  for (let index = 0; index < connections; index += 1) setTimeout(open, Math.floor(index / BURST) * BURST_MS, index);
}

function countAnswers(socket, count) {
  socket.on("data", (chunk) => {
    for (let at = chunk.indexOf(STATUS_LINE); at >= 0; at = chunk.indexOf(STATUS_LINE, at + 1)) {
      const start = at + STATUS_LINE.length;
      count(chunk.toString("latin1", start, start + 3));
    }
  });
}

/** All requests again and again, so many in one write, whether answers come or not. */
function writer(requests, batch) {
  const writes = Math.ceil(requests.length / batch);
  const texts = requests.map(printed);
  const chunks = Array.from({ length: writes }, (_, write) =>
    Buffer.concat(Array.from({ length: batch }, (_, index) => texts[(write * batch + index) % texts.length])),
  );
  return (socket, index) => {
    let next = index;
    const write = () => {
      let more = true;
      while (more && socket.writable) {
        more = socket.write(chunks[next % chunks.length]);
        next += 1;
      }
    };
    socket.on("drain", write);
    write();
  };
}

/** Writes `batch` requests at once, again and again, and reads what is answered. */
export function pipeline({ requests, batch, ...part }) {
  const write = writer(requests, batch);
  keepOpen(part, (socket, index) => {
    countAnswers(socket, part.count);
    write(socket, index);
  });
}

/** The same without reading any answer. */
export function unread({ requests, batch, ...part }) {
  const write = writer(requests, batch);
  keepOpen(part, (socket, index) => {
    socket.pause();
    write(socket, index);
  });
}

/** Bytes without end, once a request is answered: over connections that are switched to another protocol. */
export function stream({ requests: [first], ...part }) {
  const bytes = Buffer.alloc(STREAM_BYTES, "x");
  const request = printed(first);
  keepOpen(part, (socket) => {
    countAnswers(socket, part.count);
    const write = () => {
      while (socket.writable && socket.write(bytes));
    };
    socket.once("data", () => {
      socket.on("drain", write);
      write();
    });
    socket.write(request);
  });
}

/** Writes garbled bytes without end; the first connections log on before, the others are dropped for it and come again. */
export function garble(part) {
  keepOpen(part, (socket, index) => {
    socket.on("data", () => part.count("answered"));
    if (index < SESSIONS) socket.write(logon(`FIXCLIENT${index}`));
    let next = index;
    const write = () => {
      part.count("taken");
      for (let more = true; more && socket.writable; next += 1) more = socket.write(GARBLED[next % GARBLED.length]);
    };
    socket.on("drain", write);
    write();
  });
}

/** A FIX Logon whose numbers begin anew. */
function logon(sender) {
  const time = new Date().toISOString().slice(0, -1).replaceAll("-", "").replace("T", "-");
  const body = `35=A|49=${sender}|56=ENGINE|34=1|52=${time}|98=0|108=0|141=Y|`;
  const content = `8=FIX.4.4|9=${body.length}|${body}`.replaceAll("|", "\x01");
  const sum = Buffer.from(content, "latin1").reduce((total, byte) => total + byte, 0) % 256;
  return Buffer.from(`${content}10=${String(sum).padStart(3, "0")}\x01`, "latin1");
}

/** One request at a time on each connection, the next as soon as it is answered. */
export function ask({ target, connections, requests, count, from, keepAlive = true }) {
  const { Agent, request } = target.tls ? https : http;
  const agent = new Agent({ keepAlive, maxSockets: connections, maxCachedSessions: 0, rejectUnauthorized: false });
  const place = { host: target.host, port: target.port, localAddress: from, agent };
  const send = ({ method, path, headers, body = "" }) =>
    new Promise((resolve) => {
      const length = body === "" ? {} : { "content-length": Buffer.byteLength(body) };
      const sent = request({ ...place, method, path, headers: { ...headers, ...length } }, (response) => {
        response.resume();
        response.once("close", () => resolve(response.statusCode));
      });
      sent.once("error", ({ code }) => setTimeout(resolve, Math.random() * REOPEN_MS, code));
      sent.end(body);
    });
  const caller = async (own) => {
    for (let next = own; ; next += connections) count(await send(requests[next % requests.length]));
  };
  for (let own = 0; own < connections; own += 1) void caller(own);
}

/** A new connection for each request. */
export function churn(part) {
  ask({ ...part, keepAlive: false });
}

/** Connections that end as soon as they stand, TLS handshake included. */
export function greet(part) {
  keepOpen(part, (socket) => {
    part.count("greeted");
    socket.destroy();
  });
}

/** Connections on which a request, but for the last `missing` bytes, was sent; then nothing. No request: nothing at all. */
export function hold({ requests: [first], missing = 0, ...part }) {
  const bytes = first ? printed(first) : Buffer.alloc(0);
  keepOpen({ ...part, pauseMs: HOLD_AGAIN_MS }, (socket) => {
    countAnswers(socket, part.count);
    socket.write(bytes.subarray(0, bytes.length - missing));
  });
}

/** Requests byte by byte, each byte as soon as the one before has gone. */
export function drip({ requests, ...part }) {
  const bytes = Buffer.concat(requests.map(printed));
  keepOpen(part, (socket) => {
    socket.setNoDelay(true);
    countAnswers(socket, part.count);
    const step = (at) => {
      if (!socket.writable) return;
      socket.write(bytes.subarray(at, at + 1), () => setImmediate(step, (at + 1) % bytes.length));
    };
    step(0);
  });
}

/** Requests byte by byte, many bytes at once, with TLS each in its own record. */
export function shred({ requests, ...part }) {
  const bytes = Buffer.concat(requests.map(printed));
  keepOpen(part, (socket) => {
    socket.setNoDelay(true);
    countAnswers(socket, part.count);
    let at = 0;
    const write = () => {
      let more = true;
      for (let count = 0; more && socket.writable && count < SHREDS; count += 1, at = (at + 1) % bytes.length) {
        more = socket.write(bytes.subarray(at, at + 1));
      }
      if (more) setImmediate(write);
    };
    socket.on("drain", write);
    write();
  });
}

/** Sends a request on a new connection and resets it at once. */
export function reset({ requests, ...part }) {
  const texts = requests.map(printed);
  keepOpen(part, (stream, index) => {
    part.count("sent");
    stream.write(texts[index % texts.length], () => (part.target.tls ? stream.destroy() : stream.resetAndDestroy()));
  });
}
