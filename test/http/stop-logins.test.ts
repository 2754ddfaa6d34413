import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DirectoryAuthenticator } from "../../src/auth/basic.ts";
import { buildOperations, operationNames, operationRecord } from "../../src/core/operations/table.ts";
import { PERMISSIONS } from "../../src/core/principal.ts";
import { projectionKeys } from "../../src/core/values/projection.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { startTestRig, type TestRig } from "../../src/testing/rig.ts";
import { credentials } from "../support/access-files.ts";
import { HTTP_MOUNTS, type HttpMount, type ListeningMount, listenOn } from "../support/mounts.ts";
import { sendRaw } from "../support/raw-http.ts";

const OUT_OF_REACH = { status: 500 };

let rig: TestRig;
let served: ListeningMount | undefined;

beforeEach(async () => {
  rig = await startTestRig();
});

afterEach(async () => {
  await served?.close();
  await rig.close();
});

/** A mount over a directory that has accepted the chief and is unreachable since. */
async function serve(mount: HttpMount): Promise<ListeningMount> {
  const clock = new ManualClock();
  const chief = { name: "chief", permissions: new Set(PERMISSIONS) };
  let isAway = false;
  const directory = {
    verify: async () => {
      if (isAway) throw new Error("the directory is unreachable");
      return chief;
    },
    known: () => chief,
  };
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const authenticator = new DirectoryAuthenticator(directory, clock, {}, { lifetimeMs: 3_600_000, log });
  await authenticator.authenticate(credentials("chief"));
  isAway = true;
  clock.advance(300_001);
  served = await listenOn(mount, rig.api, authenticator);
  return served;
}

describe.each(HTTP_MOUNTS.map((mount): [string, HttpMount] => [mount.name, mount]))(
  "D-AUTH 11: stops while the directory is unreachable: %s",
  (_name, mount) => {
    const operations = operationNames.map((name): [string, string] => [
      name,
      operationRecord(buildOperations(projectionKeys()), name).lane,
    ]);
    it.each(operations)("%s (%s)", async (name) => {
      const { url } = await serve(mount);
      const { method, path, lane } = operationRecord(rig.api.operations, name as never);
      const target = path.replace(/\{\w+\}/g, "none%2Fsuch");
      const reply = await sendRaw(url, { method, path: target, authorization: credentials("chief") });
      // There is no service or session of that name, which the engine says.
      if (lane === "stop") expect(reply.status).toBe(path === target ? 200 : 404);
      else expect(reply).toMatchObject(OUT_OF_REACH);
      expect(rig.gate.seen).toHaveLength(lane === "stop" ? 1 : 0);
    });

    it("paths that mean no stop, or none that can be read, are as closed as before", async () => {
      const { url } = await serve(mount);
      for (const path of ["/trading/halt/", "/trading/%zz/halt", "/services/%zz/disable", "/", "/trading/haltx"]) {
        expect(await sendRaw(url, { method: "POST", path, authorization: credentials("chief") })).toMatchObject(
          OUT_OF_REACH,
        );
      }
      for (const method of ["GET", "OPTIONS", "PUT"]) {
        const halt = { method, path: "/trading/halt", authorization: credentials("chief") };
        expect(await sendRaw(url, halt)).toMatchObject(OUT_OF_REACH);
        expect(await sendRaw(url, { ...halt, authorization: null })).toMatchObject({ status: 401 });
      }
    });
  },
);
