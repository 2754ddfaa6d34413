import { getContainerRuntimeClient, type StartedTestContainer, Wait } from "testcontainers";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { allow, basic } from "../auth/access-files.ts";
import { type RawReply, type RawRequest, sendRaw } from "../support/raw-http.ts";
import { describeContainers } from "./docker.ts";
import { baseUrl, gatewayContainer, IMAGE_USER, Mounts, runToEnd, terminate } from "./gateway-container.ts";

const READ = { path: "/services" };
const HALT = { method: "POST", path: "/trading/halt", headers: { "Content-Type": "application/json" }, body: "{}" };
const PASSWORD = "correct horse 7 battery";

describeContainers("container image, running", ({ gateway: image }) => {
  let mounts: Mounts;
  let container: StartedTestContainer;

  beforeAll(async () => {
    mounts = new Mounts();
    mounts.writeAccess(PASSWORD, allow("chief", "HALT_RESUME_TRADING"));
    container = await gatewayContainer(image, mounts).withWaitStrategy(Wait.forHealthCheck()).start();
  });

  afterAll(async () => {
    await container?.stop();
    mounts.remove();
  });

  function send(request: Partial<RawRequest>, password = PASSWORD): Promise<RawReply> {
    return sendRaw(baseUrl(container), { ...READ, ...request, authorization: basic("chief", password) });
  }

  it("becomes healthy without a user, capabilities or a file system of its own to write to", async () => {
    const { container: client } = await getContainerRuntimeClient();
    const { Config, State, HostConfig } = await client.inspect(client.getById(container.getId()));
    expect(State.Health?.Status).toBe("healthy");
    expect(Config.User).toBe(`${IMAGE_USER}:${IMAGE_USER}`);
    expect(HostConfig.ReadonlyRootfs).toBe(true);
    expect((await container.exec(["node", "-p", "process.getuid()"])).output.trim()).toBe(String(IMAGE_USER));
    const { exitCode, output } = await container.exec(["node", "-e", "fs.writeFileSync('/app/x', '')"]);
    expect([exitCode, output]).toEqual([1, expect.stringContaining("EROFS")]);
  });

  it("lets a user of the mounted access files in, and nobody else (Authentication 7: SIMPLE)", async () => {
    expect(await send({})).toMatchObject({ status: 200, body: expect.stringContaining('"name"') });
    expect(await send({}, "wrong")).toMatchObject({ status: 401, body: "" });
  });

  it("D-LOG 2: halts, and keeps both audit records on the mounted volume", async () => {
    expect(await send({ ...HALT, body: '{"reason":"from a container"}' })).toMatchObject({ status: 200 });
    await expect.poll(async () => (await send({ path: "/trading/status" })).body).toContain('"halted":true');
    const stages = mounts.records().flatMap(({ operation, stage }) => (operation === "haltTrading" ? [stage] : []));
    expect(stages).toEqual(["intent", "applied"]);
  });

  it("serves the document of the API and the interactive page, which are in the image too", async () => {
    const url = new URL("/v3/api-docs", baseUrl(container));
    const reply = await fetch(url, { headers: { Authorization: basic("chief", PASSWORD) } });
    expect([reply.status, await reply.json()]).toEqual([
      200,
      expect.objectContaining({ openapi: expect.stringMatching(/^3\.1/) }),
    ]);
    for (const path of ["/swagger-ui.html", "/swagger-ui/swagger-ui-bundle.js", "/swagger-ui/page.js"]) {
      const part = await fetch(new URL(path, baseUrl(container)), {
        headers: { Authorization: basic("chief", PASSWORD) },
      });
      expect([path, part.status, (await part.text()).length > 500]).toEqual([path, 200, true]);
    }
  });

  it("holds production packages and the optional ones of the gateway, and no build tools", async () => {
    const found = await container.exec(["node", "-p", "fs.readdirSync('/app/node_modules').join()"]);
    const names = found.output.trim().split(",");
    expect(names).toEqual(expect.arrayContaining(["zod", "ldapts", "@nats-io"]));
    for (const name of ["vitest", "typescript", "express", "testcontainers"]) expect(names).not.toContain(name);
    const imported = await container.exec(["node", "-e", "import('/app/dist/transports/nats.js')"]);
    expect(imported).toMatchObject({ exitCode: 0, output: "" });
  });

  it("says in the health check when it is not alive", async () => {
    const check = ["node", "/app/dist/cli/main.js", "health", "--config", "/etc/trading-admin/application.yaml"];
    for (const address of ["127.0.0.1", "0.0.0.0"]) {
      const alive = await container.exec([...check, `--management.server.address=${address}`]);
      expect(alive).toMatchObject({ exitCode: 0, output: expect.stringContaining("UP") });
    }
    const elsewhere = await container.exec([...check, "--management.server.port=8999"]);
    expect(elsewhere).toMatchObject({
      exitCode: 1,
      output: expect.stringMatching(/^trading-admin: the gateway does not answer at .*ECONNREFUSED/),
    });
  });
});

describeContainers("container image, starting and ending", ({ gateway: image }) => {
  let mounts: Mounts;

  beforeEach(() => {
    mounts = new Mounts();
  });

  afterEach(() => mounts.remove());

  it("ends with exit code 0 on SIGTERM, as the first process of its container", async () => {
    mounts.writeAccess(PASSWORD, allow("chief", "HALT_RESUME_TRADING"));
    const container = await gatewayContainer(image, mounts).withAutoRemove(false).start();
    try {
      expect((await container.exec(["node", "-p", "fs.readFileSync('/proc/1/cmdline', 'utf8')"])).output).toContain(
        "serve",
      );
      const { code, output } = await terminate(container);
      expect([code, output]).toEqual([0, expect.stringContaining("stopped")]);
    } finally {
      await container.stop({ remove: true });
    }
  });

  it("refuses to start without access files, and names the file that is missing", async () => {
    const { code, output } = await runToEnd(image, mounts);
    expect(code).toBe(1);
    expect(output).toMatch(/trading-admin: .*\/etc\/trading-admin\/access\/uac-file-security\.xml/);
  });

  it("lets environment variables go before its settings", async () => {
    mounts.writeAccess(PASSWORD, allow("chief", "HALT_RESUME_TRADING"));
    const small = { ADMIN_API_MAXBODYSIZE: "8B" };
    const container = await gatewayContainer(image, mounts).withEnvironment(small).start();
    try {
      const authorization = basic("chief", PASSWORD);
      expect(await sendRaw(baseUrl(container), { ...HALT, authorization })).toMatchObject({ status: 200 });
      const long = { ...HALT, body: '{"reason":"long"}', authorization };
      expect(await sendRaw(baseUrl(container), long)).toMatchObject({ status: 413 });
    } finally {
      await container.stop();
    }
  });

  it("runs the other commands too", async () => {
    const config = ["--config", "/etc/trading-admin/application.yaml"];
    mounts.writeAccess(PASSWORD, allow("chief", "HALT_RESUME_TRADING"));
    const { code, output } = await runToEnd(image, mounts, ["check-config", ...config]);
    expect([code, output]).toEqual([0, expect.stringMatching(/authenticationType +SIMPLE /)]);
  });
});
