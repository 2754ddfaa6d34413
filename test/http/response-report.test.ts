import { expect, it, onTestFinished } from "vitest";
import type { ResponseReport } from "../../src/http/admin-http-options.ts";
import { credentials } from "../support/access-files.ts";
import { HTTP_MOUNTS, type HttpMount } from "../support/mounts.ts";
import { httpWorld } from "../support/world.ts";

it.each(HTTP_MOUNTS)(
  "a host is told of each response: user and operation only once somebody has logged in [$name]",
  async (mount) => {
    const reports: ResponseReport[] = [];
    const listener: HttpMount["listener"] = (api, options) =>
      mount.listener(api, { ...options, onResponse: (report) => void reports.push(report) });
    const { http, close } = await httpWorld({ ...mount, listener });
    onTestFinished(close);
    const path = "/services";
    for (const authorization of [null, credentials("nobody"), credentials("viewer")])
      await http({ path, authorization });
    await http({ path: "/nothing", authorization: credentials("viewer") });
    const common = {
      method: "GET",
      address: "127.0.0.1",
      requestId: expect.any(String),
      durationMs: expect.any(Number),
    };
    expect(reports).toEqual([
      { ...common, status: 401, user: null, operation: null },
      { ...common, status: 401, user: null, operation: null },
      { ...common, status: 200, user: "viewer", operation: "listServices" },
      { ...common, status: 404, user: "viewer", operation: null },
    ]);
  },
);
