import { expect } from "vitest";
import { type AdminClient, type CallOptions, type ClientOptions, createClient } from "../../src/client/client.ts";
import { basic } from "../../src/client/credentials.ts";
import { AdminClientError } from "../../src/client/errors.ts";
import type { OperationName } from "../../src/core/operations/table.ts";
import { ENDPOINTS, type Endpoint } from "../requirements/support/endpoints.ts";
import { HTTP_MOUNTS } from "../support/mounts.ts";
import { type HttpWorld, httpWorld, type WorldOptions } from "../support/world.ts";

/** The operations that change something, with an input of each. */
export const MUTATIONS: readonly Endpoint[] = ENDPOINTS.filter(({ permission }) => permission !== null);

/** The operations that change nothing, with an input of each. */
export const READS: readonly Endpoint[] = ENDPOINTS.filter(({ permission }) => permission === null);

type Method = (input: Endpoint["input"], options?: CallOptions) => Promise<unknown>;

/** Calls an operation that is known only by its name. */
export function call(
  client: AdminClient,
  { name, input }: { readonly name: OperationName; readonly input: Endpoint["input"] },
  options?: CallOptions,
): Promise<unknown> {
  return (client[name] as Method)(input, options);
}

/** The error that a call rejects with. */
export async function failureOf(calling: Promise<unknown>): Promise<AdminClientError> {
  const failed = await calling.then(
    (value) => expect.fail(`it answered ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );
  expect(failed).toBeInstanceOf(AdminClientError);
  return failed as AdminClientError;
}

/** A client of a server on loopback that does not care who calls. */
export function clientAt(origin: string, options: Partial<ClientOptions> = {}): AdminClient {
  return createClient({ baseUrl: origin, credentials: basic("chief", "password of chief"), ...options });
}

/** Runs `during` with an installation and a client of it. */
export async function withWorld(
  during: (world: HttpWorld, client: AdminClient) => Promise<void>,
  options: WorldOptions = {},
): Promise<void> {
  const [mount] = HTTP_MOUNTS;
  if (!mount) throw new Error("there is no mount");
  const world = await httpWorld(mount, options);
  try {
    await during(world, clientOf(world));
  } finally {
    await world.close();
  }
}

/** A client of an installation, for one of the users of the suites; failures are not waited out. */
export function clientOf(world: HttpWorld, user = "chief", options: Partial<ClientOptions> = {}): AdminClient {
  const credentials = basic(user, `password of ${user}`);
  return createClient({ baseUrl: world.origin, credentials, retryReads: false, ...options });
}
