import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { adminHandler } from "../../src/http/node.ts";
import { startTestRig } from "../../src/testing/index.ts";
import { sendRaw } from "../support/raw-http.ts";
import { CHIEF, InstallationFolder } from "./folder.ts";

const message = "Nothing is served at this path; the API is below /api/admin/v1";

let folder: InstallationFolder;

beforeEach(() => {
  folder = new InstallationFolder();
});

afterEach(() => folder.close());

describe("404 outside the API says where the API is", () => {
  it.each(["/trading/status", "/api/admin/v2/trading/status", "/api"])(
    "of the gateway, with credentials and without: %s",
    async (path) => {
      const { url } = await folder.start("");
      for (const authorization of [null, CHIEF]) {
        const { status, body } = await sendRaw(url, { path, authorization, foreign: true });
        expect([status, JSON.parse(body)]).toEqual([404, { status: 404, error: "Not Found", message }]);
      }
    },
  );

  it("but not at the port of monitoring, where there is none", async () => {
    const { managementUrl } = await folder.start("management.server.port: 0");
    const { body } = await sendRaw(managementUrl, { path: "/trading/status", authorization: null, foreign: true });
    expect(JSON.parse(body).message).toBe("Nothing is served at this path");
  });

  it("of a test rig, and of a host's server with its own base path", async () => {
    const rig = await startTestRig();
    expect((await rig.inject({ url: "/trading/status" })).json()).toMatchObject({ message });
    const authenticator = { authenticate: () => ({ kind: "closed" as const, reason: "no users" }) };
    const server = createServer(adminHandler(rig.api, { authenticator, basePath: "/desk" }));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const { body } = await sendRaw(url, { path: "/trading/status", authorization: null, foreign: true });
      expect(JSON.parse(body).message).toBe("Nothing is served at this path; the API is below /desk");
    } finally {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rig.close();
    }
  });
});
