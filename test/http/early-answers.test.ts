import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { Connection } from "../gateway/connection.ts";
import { CHIEF, InstallationFolder } from "../gateway/folder.ts";
import { credentials } from "../support/access-files.ts";
import { HTTP_MOUNTS } from "../support/mounts.ts";
import { sendRaw } from "../support/raw-http.ts";
import { httpWorld } from "../support/world.ts";

/** A server of the API, however it is mounted, and how often it was told to halt. */
interface Place {
  readonly origin: string;
  /** Path of the API. */
  readonly path: string;
  readonly chief: string;
  halts(): number;
}

const MAX_BODY = 1_000;
const closings: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  for (const close of closings.splice(0).reverse()) await close();
});

const PLACES: readonly { readonly name: string; readonly open: () => Promise<Place> }[] = [
  ...HTTP_MOUNTS.map((mount) => ({
    name: mount.name,
    open: async (): Promise<Place> => {
      const world = await httpWorld(mount, { maxBodyBytes: MAX_BODY });
      closings.push(() => world.close());
      const halts = (): number => world.gate.seen.filter(({ method }) => method === "haltTrading").length;
      const path = new URL(world.url).pathname;
      return { origin: world.origin, path, chief: credentials("chief"), halts };
    },
  })),
  {
    name: "the gateway",
    open: async () => {
      const folder = new InstallationFolder();
      closings.push(() => folder.close());
      const settings = ["server.shutdown.drain-time: 0", `admin.api.max-body-size: ${MAX_BODY}`];
      const { url } = await folder.start(`${settings.join("\n")}\n`);
      const halts = (): number => folder.log().filter(({ stage }) => stage === "applied").length;
      return { origin: url, path: "/api/admin/v1", chief: CHIEF, halts };
    },
  },
];

/** What Java's client adds to the first request of a connection. */
const H2C = [
  "Connection: Upgrade, HTTP2-Settings",
  "Upgrade: h2c",
  "HTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA",
];

/** Requests that the parser of Node takes for an upgrade, and others that only look like one. */
const UPGRADES = [
  H2C,
  ["Connection: keep-alive,UPGRADE ", "Upgrade: websocket"],
  ["Connection: keep-alive", "Upgrade: websocket", "Connection: , \tupgrade, x"],
  ["Proxy-Connection: upgrade", "Upgrade: websocket"],
  ["Upgrade: websocket"],
  ["Connection: Upgrade"],
  ["Connection: Upgrade", "Upgrade:"],
  ["Connection: keep-alive, upgrades, no upgrade, upgrade it", "Upgrade: websocket"],
] as const;

const FRAMINGS = {
  length: (body: string) => [`Content-Length: ${body.length}`, body],
  chunks: (body: string) => ["Transfer-Encoding: chunked", `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`],
} as const;

/** A halt as text, in two pieces: all but the last bytes, and these. */
function haltOf(
  { path }: Place,
  authorization: string,
  body: string,
  framing: keyof typeof FRAMINGS,
  more: readonly string[] = [],
): readonly [string, string] {
  const [length = "", content = ""] = FRAMINGS[framing](body);
  const headers = ["Host: x", `Authorization: ${authorization}`, "Content-Type: application/json", length, ...more];
  const head = [`POST ${path}/trading/halt HTTP/1.1`, ...headers, "", ""].join("\r\n");
  return [head + content.slice(0, -6), content.slice(-6)];
}

async function connectTo(place: Place): Promise<Connection> {
  const connection = await Connection.open(place.origin);
  closings.push(() => connection.destroy());
  return connection;
}

function statusesIn(received: string): number[] {
  return [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}

const BODY = '{"reason":"drill"}';
const LARGE = `{"reason":"${"x".repeat(MAX_BODY)}"}`;

/** Requests that are refused before their body is complete. */
const REFUSED = [
  { status: 401, user: (): string => "Basic bm9ib2R5Ong=", body: BODY },
  { status: 413, user: ({ chief }: Place) => chief, body: LARGE },
];

describe.each(PLACES)(
  "D-HTTP 1, D-HTTP 26: a request that is refused before its body is there [$name]",
  ({ name, open }) => {
    // A parser of the host has read the body before the API sees the request: then no answer is early.
    const isEarly = !name.includes("after express.json");

    for (const framing of ["length", "chunks"] as const) {
      for (const { status, user, body } of REFUSED) {
        it.runIf(isEarly)(
          `${status}, ${framing}: the end of its body and the next request come in one piece`,
          async () => {
            const place = await open();
            const connection = await connectTo(place);
            const [first, rest] = haltOf(place, user(place), body, framing, H2C);
            connection.write(first);
            await connection.until(new RegExp(`^HTTP/1\\.1 ${status} `));
            connection.write(rest + haltOf(place, place.chief, BODY, "length").join(""));
            await connection.until(/HTTP\/1\.1 200 OK/);
            connection.write(haltOf(place, place.chief, BODY, "chunks").join(""));
            await connection.until(/200 OK[\s\S]*200 OK/);
            expect(statusesIn(connection.received)).toEqual([status, 200, 200]);
            expect(place.halts()).toBe(2);
          },
        );

        it.runIf(isEarly)(`${status}, ${framing}: all of it and the next request come in one piece`, async () => {
          const place = await open();
          const connection = await connectTo(place);
          const refused = haltOf(place, user(place), body, framing, H2C).join("");
          connection.write(refused + haltOf(place, place.chief, BODY, "length").join(""));
          await connection.until(/HTTP\/1\.1 200 OK/);
          expect(statusesIn(connection.received)).toEqual([status, 200]);
        });
      }
    }

    // Elsewhere the host itself answers what is outside of the API.
    it.runIf(["node:http", "the gateway"].includes(name)).each(["length", "chunks"] as const)(
      "404 outside of the API, %s: all of it and the next request come in one piece",
      async (framing) => {
        const place = await open();
        const connection = await connectTo(place);
        const refused = haltOf({ ...place, path: "/elsewhere" }, place.chief, BODY, framing, H2C).join("");
        connection.write(refused + haltOf(place, place.chief, BODY, "length").join(""));
        await connection.until(/HTTP\/1\.1 200 OK/);
        expect(statusesIn(connection.received)).toEqual([404, 200]);
      },
    );

    it.runIf(isEarly).each(UPGRADES.map((headers) => [headers.join(" | "), headers] as const))(
      "the next request follows in one piece with it, and is divided at any place: %s",
      async (_, headers) => {
        const place = await open();
        const refused = haltOf(place, "Basic bm9ib2R5Ong=", BODY, "length", headers).join("");
        const next = haltOf(place, place.chief, BODY, "length").join("");
        const places = [0, 1, next.indexOf("\r\n\r\n") + 2, next.length - 1, next.length];
        for (const divided of places) {
          const connection = await connectTo(place);
          connection.write(refused + next.slice(0, divided));
          await connection.until(/^HTTP\/1\.1 401 /);
          connection.write(next.slice(divided));
          await connection.until(/HTTP\/1\.1 200 OK/);
          expect(statusesIn(connection.received)).toEqual([401, 200]);
        }
        expect(place.halts()).toBe(places.length);
      },
    );

    it("that cannot be kept open: the rest is taken, and the connection ends without a reset", async () => {
      const place = await open();
      const { hostname, port } = new URL(place.origin);
      const socket = connect({ host: hostname, port: Number(port) }).setEncoding("latin1");
      closings.push(() => void socket.destroy());
      const closed = new Promise((resolve) => socket.once("error", resolve).once("close", () => resolve("closed")));
      let received = "";
      socket.on("data", (text: string) => {
        received += text;
      });
      const body = `{"reason":"${"x".repeat(3_000_000)}"}`;
      const [first, rest] = haltOf(place, place.chief, body, "length", ["Connection: close"]);
      const [head = "", content = ""] = first.split("\r\n\r\n");
      socket.write(`${head}\r\n\r\n${content.slice(0, 10)}`);
      if (isEarly) await expect.poll(() => received).toMatch(/ 413 /);
      expect(socket.readableEnded).toBe(false);
      socket.write(content.slice(10) + rest);
      expect(await closed).toBe("closed");
      expect(statusesIn(received)).toEqual([413]);
    });
  },
);

it("D-HTTP 26: a file is sent before a body that nobody needs is there, and the connection stays open", async () => {
  const folder = new InstallationFolder();
  closings.push(() => folder.close());
  const { url } = await folder.start("");
  const path = "/console/console.css";
  const file = Buffer.from((await sendRaw(url, { path, authorization: CHIEF })).body).toString("latin1");
  const connection = await Connection.open(url);
  closings.push(() => connection.destroy());
  const head = `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${CHIEF}\r\n`;
  const answers = (): string[] => connection.received.split(file);
  connection.write(`${head}Content-Length: 4\r\n\r\n`);
  await expect.poll(() => answers().length).toBe(2);
  connection.write(`body${head}\r\n`);
  await expect.poll(() => answers().length).toBe(3);
  expect(statusesIn(answers().join(""))).toEqual([200, 200]);
});

describe("D-HTTP 26: after a refusal whose request is not complete", () => {
  const SETTINGS = `server.shutdown.drain-time: 0
admin.api.max-body-size: ${MAX_BODY}
server.header-timeout: 1s
server.request-timeout: 1s
`;

  async function refused(
    more: readonly string[] = [],
  ): Promise<{ place: Place; connection: Connection; rest: string }> {
    const folder = new InstallationFolder();
    closings.push(() => folder.close());
    const { url } = await folder.start(SETTINGS);
    const place = { origin: url, path: "/api/admin/v1", chief: CHIEF, halts: () => 0 };
    const connection = await connectTo(place);
    const [first, rest] = haltOf(place, CHIEF, LARGE, "length", more);
    connection.write(first);
    await connection.until(/^HTTP\/1\.1 413 /);
    return { place, connection, rest };
  }

  it("a body that does not come ends the connection, and no second answer follows", async () => {
    const { connection } = await refused();
    await connection.closed();
    expect(statusesIn(connection.received)).toEqual([413]);
  });

  it.each([
    ["with Upgrade", H2C],
    ["without", []],
  ])("the connection may be idle for longer than a request may take to arrive: %s", async (_, more) => {
    const { place, connection, rest } = await refused(more);
    connection.write(rest);
    await pause(2_000);
    expect(statusesIn(connection.received)).toEqual([413]);
    connection.write(haltOf(place, place.chief, BODY, "length").join(""));
    await connection.until(/HTTP\/1\.1 200 OK/);
    expect(statusesIn(connection.received)).toEqual([413, 200]);
  });
});
