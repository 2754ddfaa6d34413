import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import fc from "fast-check";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { heldBytesQuota } from "../../src/core/load/held-bytes.ts";
import { Quota } from "../../src/core/load/quota.ts";
import { guardServer } from "../../src/http/node.ts";
import { startTestRig } from "../../src/testing/rig.ts";

const GET = "GET /hold HTTP/1.1\r\nHost: a\r\n";
const FIELDS = "x: 1\r\n".repeat(30);
const CHUNKED = "POST /hold HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
const BODY = "5;a=1\r\n0\r\n\r\n\r\n2\r\n{}\r\n0\r\n";
/** Of the data in it, each piece of which is kept by itself until it is read. */
const BODY_BYTES = 7;

const FIELD_BYTES = 256;
const ALLOWANCE = 4 * 1024;

let server: Server;
let held: ServerResponse[];
/** Whether the server reads bodies. */
let reads: boolean;
let taking: { readonly mock: { readonly contexts: unknown[] } };

beforeEach(async () => {
  const spy = vi.spyOn(Quota.prototype, "take");
  const rig = await startTestRig();
  held = [];
  reads = true;
  taking = spy;
  server = guardServer(
    createServer((request, response) => {
      held.push(response);
      if (reads) request.resume();
    }),
    rig.api,
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    spy.mockRestore();
    server.close();
    server.closeAllConnections();
    await rig.close();
  });
});

/** What all callers hold of the server's quotas. */
function account(): number {
  const quotas = new Set((taking.mock.contexts as Quota[]).filter(({ max }) => max === heldBytesQuota().max));
  return [...quotas].reduce((sum, { taken }) => sum + taken, 0);
}

/** What texts of heads and trailers cost together on one connection. */
function costOf(...texts: readonly string[]): number {
  const text = texts.join("");
  return Math.max(0, text.length + FIELD_BYTES * (text.split("\n").length - 1) - ALLOWANCE);
}

/** The server's side of a connection, which has read as many pieces as there are texts. */
async function receive(texts: readonly string[]): Promise<Socket> {
  const accepted = once(server, "connection");
  const caller = connect((server.address() as AddressInfo).port, "127.0.0.1");
  caller.on("error", () => {});
  onTestFinished(() => void caller.destroy());
  const [socket] = (await accepted) as [Socket];
  for (const text of texts) socket.push(Buffer.from(text));
  return socket;
}

/** Expects a text to cost as much in any pieces, besides what is left of a body, and nothing once its connection is closed. */
async function expectCost(pieces: readonly string[], cost: number, ofBody: number): Promise<void> {
  const socket = await receive(pieces);
  await expect.poll(() => account() >= cost && account() <= cost + ofBody, { interval: 2 }).toBe(true);
  socket.destroy();
  await expect.poll(account, { interval: 2 }).toBe(0);
}

function cutAt(text: string, places: readonly number[]): string[] {
  const ends = [...new Set(places.map((place) => place % text.length))].sort((a, b) => a - b);
  return [...ends, text.length]
    .map((end, index) => text.slice(ends[index - 1] ?? 0, end))
    .filter((part) => part !== "");
}

describe.each([
  ["a head", `${GET}${FIELDS}\r\n`, [`${GET}${FIELDS}\r\n`]],
  ["a head without its end", `${GET}${FIELDS}`, [`${GET}${FIELDS}`]],
  ["a request target", `GET /${"x".repeat(6_000)}`, [`GET /${"x".repeat(6_000)}`]],
  ["a head behind empty lines", `${"\r\n".repeat(40)}${GET}${FIELDS}\r\n`, [`${GET}${FIELDS}\r\n`]],
  ["a head behind another one", `${GET}\r\n${GET}${FIELDS}\r\n`, [`${GET}\r\n`, `${GET}${FIELDS}\r\n`]],
  ["trailers", `${CHUNKED}${BODY}${FIELDS}`, [CHUNKED, FIELDS]],
  ["a head behind trailers", `${CHUNKED}${BODY}x: 1\r\n\r\n${GET}${FIELDS}`, [CHUNKED, "x: 1\r\n\r\n", GET, FIELDS]],
])("D-LOAD 10: %s", (_what, text, counted) => {
  const cost = costOf(...counted);
  const ofBody = text.includes(BODY) ? BODY_BYTES * FIELD_BYTES : 0;

  it.each([
    ["in one piece", [text]],
    ["in single bytes", [...text]],
  ])("costs the same, %s", async (_how, pieces) => {
    expect(cost).toBeGreaterThan(0);
    await expectCost(pieces, cost, ofBody);
  });

  it("costs the same, cut in any way", async () => {
    const places = fc.array(fc.nat({ max: text.length - 1 }), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(places, (at) => expectCost(cutAt(text, at), cost, ofBody)),
      { numRuns: 20 },
    );
  });
});

describe("D-LOAD 10: the allowance of a connection", () => {
  it("is there once for all requests in progress, and what exceeds it is given back with each response", async () => {
    const heads = Array.from({ length: 4 }, () => `${GET}${FIELDS.slice(0, 60)}\r\n`);
    await receive([heads.join("")]);
    await expect.poll(account).toBe(costOf(...heads));
    expect(costOf(...heads)).toBeGreaterThan(2 * ALLOWANCE);
    held[3]?.end();
    await expect.poll(account).toBe(costOf(...heads));
    for (const response of held.slice(0, 3)) response.end();
    await expect.poll(account).toBe(0);
  });

  it("and that of trailers with the response to their request, though the connection stays open", async () => {
    const socket = await receive([`${CHUNKED}${BODY}`, `${FIELDS}\r\n`]);
    await expect.poll(account).toBeGreaterThanOrEqual(costOf(CHUNKED, FIELDS, "\r\n"));
    held[0]?.end();
    await expect.poll(account).toBe(0);
    expect(socket.destroyed).toBe(false);
  });

  it("leaves no room for trailers beyond the share of their caller: the connection is closed", async () => {
    const trailers = "x: 1\r\n".repeat(2_000);
    const sockets: Socket[] = [];
    while (sockets.length < 100 && !sockets.some(({ destroyed }) => destroyed)) {
      sockets.push(await receive([`${CHUNKED}${BODY}${trailers}`]));
      await expect.poll(() => held.length === sockets.length && account() > 0, { interval: 2 }).toBe(true);
    }
    expect(sockets.length).toBeLessThan(100);
  });
});

describe("D-LOAD 10: small pieces of a body", () => {
  const POST = "POST /hold HTTP/1.1\r\nHost: a\r\n";
  const PIECES = 200;

  it.each([
    ["chunks of one byte", [`${CHUNKED}${"1\r\nx\r\n".repeat(PIECES)}`]],
    ["one chunk in reads of one byte", [`${CHUNKED}${PIECES.toString(16)}\r\n`, ..."x".repeat(PIECES)]],
    ["reads of one byte", [`${POST}Content-Length: ${PIECES}\r\n\r\n`, ..."x".repeat(PIECES)]],
  ])("are counted until they are read: %s", async (_what, texts) => {
    reads = false;
    await receive(texts);
    await expect.poll(account).toBeGreaterThan((PIECES - 20) * FIELD_BYTES);
    const [response] = held;
    response?.req.resume();
    await expect.poll(() => response?.req.readableLength).toBe(0);
    response?.end();
    response?.req.socket.destroy();
    await expect.poll(account).toBe(0);
  });

  it("are not, where somebody reads on: a stream of small events takes nothing", async () => {
    const socket = await receive([CHUNKED]);
    for (let event = 0; event < 200; event += 1) {
      socket.push(Buffer.from("5\r\nevent\r\n"));
      await new Promise(setImmediate);
    }
    expect(account()).toBeLessThan(20 * FIELD_BYTES);
  });

  it("are not where they are larger: 12 KiB in chunks of 1 KiB", async () => {
    reads = false;
    const chunk = `400\r\n${"x".repeat(1_024)}\r\n`;
    await receive([`${CHUNKED}${chunk.repeat(12)}`]);
    await expect.poll(() => held.length).toBe(1);
    expect(account()).toBe(0);
  });
});

it("D-LOAD 2: of requests behind a chunked body in the same read no more are begun than behind any other", async () => {
  await receive([`${CHUNKED}${BODY}\r\n${`${GET}\r\n`.repeat(50)}`]);
  await expect.poll(() => held.length).toBe(4);
});
