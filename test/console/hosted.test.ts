import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import express from "express";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { Authenticator } from "../../src/auth/authenticator.ts";
import { consolePage } from "../../src/console/console-page.ts";
import { principal } from "../../src/core/principal.ts";
import { adminMiddleware } from "../../src/http/express.ts";
import { startTestRig } from "../../src/testing/rig.ts";
import { requireBuild } from "../package/build.ts";
import { useChromium } from "../support/chromium.ts";
import { panel, rowOf } from "./visit-console.ts";

const visit = useChromium();

beforeAll(requireBuild);

/** A host that knows its user by other means than credentials. */
const SOMEBODY: Authenticator = {
  authenticate: () => ({ kind: "principal", principal: principal("host's user", ["HALT_RESUME_TRADING"]) }),
};

describe("the console of a host, mounted below a path", () => {
  it("finds its parts and the API relative to itself", async () => {
    const rig = await startTestRig();
    const app = express();
    const options = { authenticator: SOMEBODY, basePath: "/control", documents: consolePage({ basePath: "/control" }) };
    app.use("/ops", ...adminMiddleware(rig.api, options));
    const server = createServer(app).listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(async () => {
      server.close();
      await rig.close();
    });
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { page, problems } = await visit(origin);
    await page.goto(`${origin}/ops/console`);
    await page.getByText("Trading is running").first().waitFor();
    await rowOf(page, "Services", "SIM").waitFor();
    await panel(page, "Services").getByText("you lack the permission ENABLE_DISABLE_SERVICE").waitFor();
    expect(await page.locator("#user").textContent()).toBe("host's user");
    expect(await page.getByRole("link", { name: "API" }).count()).toBe(0);
    expect(problems).toEqual([]);
  }, 120_000);
});
