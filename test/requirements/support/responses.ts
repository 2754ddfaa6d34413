import { expect } from "vitest";
import type { OperationName } from "../../../src/core/operations/table.ts";
import { PERMISSIONS, type Permission } from "../../../src/core/principal.ts";
import { credentials, only, USERS } from "../../support/access-files.ts";
import type { RawReply, RawRequest } from "../../support/raw-http.ts";
import type { Answer, HttpWorld, World } from "../../support/world.ts";
import { endpoint } from "./endpoints.ts";

/** 200 without content. */
export const EMPTY: Answer = { status: 200, body: "", json: undefined };

/** What is said about a value that is not a decimal. */
export const DECIMAL_RULE =
  'must be a decimal string such as "12.5" (digits with an optional sign and fraction, at most 64 characters)';

const PHRASES: Readonly<Record<number, string>> = {
  400: "Bad Request",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  413: "Payload Too Large",
  415: "Unsupported Media Type",
  429: "Too Many Requests",
  500: "Internal Server Error",
  503: "Service Unavailable",
  504: "Gateway Timeout",
};

/** The JSON body of an error, byte for byte. */
function errorText(status: number, message: string): string {
  return JSON.stringify({ status, error: PHRASES[status], message });
}

/** Checks that a response is 200 with exactly this JSON. */
export function expectOk(answer: { status: number; body: string }, json: unknown): void {
  expect({ status: answer.status, json: answer.body === "" ? "" : JSON.parse(answer.body) }).toEqual({
    status: 200,
    json,
  });
}

/** Checks that a response is this error, byte for byte. */
export function expectError(answer: { status: number; body: string }, status: number, message: string): void {
  expect({ status: answer.status, body: answer.body }).toEqual({ status, body: errorText(status, message) });
}

/** The JSON of a response that has to be 200. */
export async function ok<T>(answering: Promise<Answer>): Promise<T> {
  const { status, body, json } = await answering;
  expect({ status, body }).toEqual({ status: 200, body });
  return json as T;
}

/** The users of the suites who lack a permission: the one with none, and those with one of the others. */
export function usersWithout(permission: Permission): string[] {
  return ["viewer", ...PERMISSIONS.filter((other) => other !== permission).map(only)];
}

/** Message of a refusal for lack of a permission. */
export function lacks(user: string, permission: Permission): string {
  return `User "${user}" lacks the permission ${permission}; ask whoever keeps the access rules of this installation for it`;
}

/** A request for an endpoint as the specification writes it. */
export function requestFor(name: OperationName, user = "chief"): RawRequest {
  const { method, path, body } = endpoint(name);
  const authorization = credentials(user);
  if (body === undefined) return { method, path, authorization };
  return { method, path, authorization, headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
}

/** Checks that an endpoint of the specification answers all who may call it, and nobody else. */
export async function expectEndpoint(world: HttpWorld, name: OperationName): Promise<RawReply> {
  const { permission, empty } = endpoint(name);
  expect(await world.http({ ...requestFor(name), authorization: null })).toMatchObject({ status: 401, body: "" });
  if (permission) {
    for (const user of usersWithout(permission)) {
      expectError(await world.http(requestFor(name, user)), 403, lacks(user, permission));
    }
  }
  const allowed = permission === null ? Object.keys(USERS) : [only(permission), "chief"];
  for (const user of allowed) {
    const reply = await world.http(requestFor(name, user));
    expect({ user, status: reply.status, empty: reply.body === "" }).toEqual({ user, status: 200, empty });
  }
  return world.http(requestFor(name));
}

/** Waits, without the world's clock, until the engine's gate has seen so many requests. */
export async function reached(world: World, count: number): Promise<void> {
  await world.until(() => world.gate.seen.length >= count, { stepMs: 0 });
}

/** Lets halts and resumes in progress take effect: the sample installation applies them after 5 ms. */
export function settle(world: World): void {
  world.clock.advance(5);
}
