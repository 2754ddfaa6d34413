import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Connection } from "./connection.ts";
import { Scrape } from "./exposition.ts";
import { InstallationFolder } from "./folder.ts";

let folder: InstallationFolder;

beforeEach(() => {
  folder = new InstallationFolder();
});

afterEach(() => folder.close());

interface Watched {
  readonly origin: string;
  readonly value: (name: string, labels?: Readonly<Record<string, string>>) => Promise<number | undefined>;
}

async function start(yaml: string): Promise<Watched> {
  const { url } = await folder.start(`server.shutdown.drain-time: 0\n${yaml}`);
  return { origin: url, value: async (name, labels) => (await Scrape.of(url)).value(name, labels) };
}

describe("D-LOAD 9: metrics show what the server refuses", () => {
  it("with the open connections, and those that made room for others", async () => {
    const { value, origin } = await start("server.max-connections: 20");
    expect(await value("trading_admin_connections_capacity")).toBe(20);
    const opened = await Promise.all(Array.from({ length: 25 }, () => Connection.open(origin)));
    await expect.poll(() => value("trading_admin_connections")).toBe(20);
    expect(await value("trading_admin_connections_dropped_total")).toBeGreaterThanOrEqual(6);
    for (const connection of opened) connection.destroy();
    await expect.poll(() => value("trading_admin_connections")).toBeLessThan(5);
  });

  it("with what did not become a request, by the status of its refusal", async () => {
    const { value, origin } = await start("server.header-timeout: 2s");
    for (const status of ["400", "408", "414", "431"]) {
      expect(await value("trading_admin_refused_requests_total", { status })).toBe(0);
    }
    const texts = {
      400: "no HTTP\r\n\r\n",
      408: "GET / HTTP/1.1\r\n",
      414: `GET /${"x".repeat(9_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
      431: `GET / HTTP/1.1\r\nHost: x\r\nX: ${"x".repeat(20_000)}\r\n\r\n`,
    };
    for (const [status, text] of Object.entries(texts)) {
      const connection = await Connection.open(origin);
      connection.write(text);
      await connection.closed();
      expect(await value("trading_admin_refused_requests_total", { status }), status).toBe(1);
    }
  });
});
