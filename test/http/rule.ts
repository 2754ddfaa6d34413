import { expect, it } from "vitest";
import { HTTP_MOUNTS } from "../support/mounts.ts";
import type { RawReply, RawRequest } from "../support/raw-http.ts";
import { type HttpWorld, httpWorld, type WorldOptions } from "../support/world.ts";

export const JSON_TYPE = { "Content-Type": "application/json" };

/** A POST with a body, JSON unless the headers say otherwise. */
export function post(
  path: string,
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = JSON_TYPE,
): RawRequest {
  return { method: "POST", path, body, headers };
}

/** Runs the same test over every HTTP mount. */
export function rule(
  title: string,
  prove: (world: HttpWorld, mount: string) => Promise<void>,
  options?: WorldOptions,
): void {
  it.each(HTTP_MOUNTS)(`${title} [$name]`, async (mount) => {
    const world = await httpWorld(mount, options);
    try {
      await prove(world, mount.name);
    } finally {
      await world.close();
    }
  });
}

/** Checks an error answer: status, phrase, message and shape. */
export function expectError(reply: RawReply, status: number, error: string, message: unknown): void {
  expect({ ...JSON.parse(reply.body), status: reply.status }).toEqual({ status, error, message });
  expect(reply.headers["content-type"]).toBe("application/json");
}
