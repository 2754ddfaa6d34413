import type { Authenticator } from "../../src/auth/authenticator.ts";
import { AdminError } from "../../src/core/errors.ts";
import type { OperationName } from "../../src/core/operations/table.ts";
import type { TestRigOptions } from "../../src/testing/rig.ts";
import { credentials, openSuiteAuthentication } from "./access-files.ts";
import { callByClient } from "./client-call.ts";
import { encodeCall } from "./http-call.ts";
import { HTTP_MOUNTS, type HttpMount, listenOn } from "./mounts.ts";
import { type RawReply, type RawRequest, sendRaw } from "./raw-http.ts";
import { type SuiteRig, type SuiteTransport, startSuiteRig } from "./suite-rig.ts";

/** Answer of an operation, whatever the way it was called. */
export interface Answer {
  readonly status: number;
  /** The bytes of the body, as text. */
  readonly body: string;
  /** The body parsed, or undefined when it is empty. */
  readonly json: unknown;
}

/** Authentication of the suites' users. */
export interface SuiteAuthentication {
  readonly authenticator: Authenticator;
  /** Value of the `Authorization` header of a user. */
  credentials(user: string): string;
  close(): void;
}

/** A running installation and one way to call it. */
export interface World extends Omit<SuiteRig, "close"> {
  readonly authentication: SuiteAuthentication;
  /** Calls an operation as a user of the suites; `chief` has every permission. */
  call(name: OperationName, input?: Readonly<Record<string, unknown>>, user?: string): Promise<Answer>;
  close(): Promise<void>;
}

/** A world that is called over HTTP. */
export interface HttpWorld extends World {
  /** URL of the API's base path. */
  readonly url: string;
  readonly origin: string;
  /** Sends a request as it is, with the credentials of `chief` unless it says otherwise. */
  http(request: RawRequest): Promise<RawReply>;
}

/** What a world may have different from the usual one. */
export type WorldOptions = Omit<TestRigOptions, "transport"> & {
  readonly maxBodyBytes?: number;
  /** In process unless it says otherwise. */
  readonly transport?: SuiteTransport;
  /** Opens another mechanism than SIMPLE. */
  readonly authentication?: () => Promise<SuiteAuthentication>;
};

let simple: Promise<SuiteAuthentication> | undefined;

/** The users of the suites are the same in every world, so that one set of access files serves all of them. */
async function openSimple(): Promise<SuiteAuthentication> {
  simple ??= openSuiteAuthentication().then(({ authenticator, close }) => {
    process.once("exit", close);
    return { authenticator, credentials, close: () => {} };
  });
  return simple;
}

function answerOf(status: number, body: string): Answer {
  return { status, body, json: body === "" ? undefined : JSON.parse(body) };
}

/** A world called without HTTP, through `AdminApi` itself. */
async function directWorld(settings: WorldOptions): Promise<World> {
  const { authentication: open = openSimple, transport = "in-process", ...options } = settings;
  const rig = await startSuiteRig(transport, options);
  const authentication = await open();
  const call: World["call"] = async (name, input = {}, user = "chief") => {
    const found = await authentication.authenticator.authenticate(authentication.credentials(user));
    if (found.kind !== "principal") throw new Error(`no such user: ${user}`);
    await rig.linkSettled();
    try {
      const output = await rig.api.call(name, input as never, found.principal);
      return answerOf(200, output === null ? "" : JSON.stringify(output));
    } catch (error) {
      if (error instanceof AdminError) return answerOf(error.status, JSON.stringify(error));
      throw error;
    }
  };
  return { ...rig, authentication, call, close: () => closeAll(rig, authentication) };
}

/** Opens a world that is called over HTTP. */
export async function httpWorld(mount: HttpMount, settings: WorldOptions = {}): Promise<HttpWorld> {
  const { maxBodyBytes, authentication: open = openSimple, transport = "in-process", ...options } = settings;
  const rig = await startSuiteRig(transport, options);
  const authentication = await open();
  const limits = maxBodyBytes === undefined ? {} : { maxBodyBytes };
  const listening = await listenOn(mount, rig.api, authentication.authenticator, limits);
  const http: HttpWorld["http"] = async (request) => {
    await rig.linkSettled();
    return sendRaw(listening.url, { authorization: authentication.credentials("chief"), ...request });
  };
  const call: World["call"] = async (name, input = {}, user = "chief") => {
    const { body, ...target } = encodeCall(name, input);
    const headers = { "Content-Type": "application/json" };
    const sent = body === undefined ? target : { ...target, headers, body };
    const reply = await http({ ...sent, authorization: authentication.credentials(user) });
    return answerOf(reply.status, reply.body);
  };
  const close = async (): Promise<void> => {
    await listening.close();
    await closeAll(rig, authentication);
  };
  return { ...rig, authentication, url: listening.url, origin: listening.origin, http, call, close };
}

/** A world that is called through the typed client. */
async function clientWorld(mount: HttpMount, options?: WorldOptions): Promise<World> {
  const world = await httpWorld(mount, options);
  const call: World["call"] = async (name, input = {}, user = "chief") => {
    await world.linkSettled();
    const { status, body } = await callByClient(world.url, world.authentication.credentials(user), name, input);
    return answerOf(status, body);
  };
  return { ...world, call };
}

async function closeAll(rig: SuiteRig, authentication: SuiteAuthentication): Promise<void> {
  authentication.close();
  await rig.close();
}

/** A way to call the API, under the name that tests show. */
export interface Way {
  readonly name: string;
  open(options?: WorldOptions): Promise<World>;
}

/** Every way to call the API: direct calls, all HTTP mounts, and the typed client over the first of them; the direct way is the first. */
export const WAYS: readonly Way[] = [
  { name: "direct", open: (options = {}) => directWorld(options) },
  ...HTTP_MOUNTS.map((mount) => ({ name: mount.name, open: (options?: WorldOptions) => httpWorld(mount, options) })),
  ...HTTP_MOUNTS.slice(0, 1).map((mount) => ({
    name: `client over ${mount.name}`,
    open: (options?: WorldOptions) => clientWorld(mount, options),
  })),
];
