import { existsSync } from "node:fs";
import type { NatsConnection } from "@nats-io/transport-node";
import type { NatsConnectionOptions } from "../../../transports/nats/options.ts";
import { loadSettings } from "../../config/load.ts";
import type { Settings } from "../../config/settings.ts";
import { messageOf } from "../../core/values/basics.ts";
import type { StreamLine, StreamSelection } from "../../gateway/audit-stream/reader.ts";
import { sharedNatsSettings } from "../../gateway/engine/engine-settings.ts";
import { installed } from "../../gateway/from-settings.ts";
import { readTls, readToken } from "../connection/credentials.ts";
import { UsageError } from "../exit-codes.ts";
import type { Options } from "../framework/definition.ts";
import { textOfFile } from "../process.ts";

export interface AuditStream {
  readonly name: string;
  /** The gateway whose configuration was given, if that names it. */
  readonly gateway: string | undefined;
  /** The lines of the chosen gateway, or of all. */
  lines(more?: Partial<Omit<StreamSelection, "stream">>): AsyncIterable<StreamLine>;
}

export function wantsStream({ nats, config, stream }: Options): boolean {
  return nats !== undefined || config !== undefined || stream !== undefined;
}

/**
 * The files to read: those that are named, or the one of a configuration that has no stream; undefined where a stream is to be read.
 *
 * @throws UsageError for files as well as a stream, and for neither.
 */
export async function filesToRead(named: readonly string[], options: Options): Promise<readonly string[] | undefined> {
  const isStream = wantsStream(options);
  if (isStream && named.length > 0) throw new UsageError("name files or a stream, not both");
  if (isStream) return fileOfConfiguration(options);
  if (named.length > 0) return named;
  throw new UsageError("name an audit file, or a stream with --nats, or the gateway's configuration with --config");
}

/** The audit file of `--config`, where only that is given and its gateway writes no stream. */
async function fileOfConfiguration({ nats, stream, config }: Options): Promise<readonly string[] | undefined> {
  if (typeof config !== "string" || nats !== undefined || stream !== undefined) return undefined;
  const { "admin.audit.file": file, "admin.audit.stream": written } = await settingsOf(config);
  return file === undefined || written !== undefined ? undefined : [file];
}

/** @throws Error for a configuration that is wrong here; one may take secrets from the environment of the gateway's process. */
async function settingsOf(config: string): Promise<Settings> {
  try {
    return (await loadSettings(config, { environment: process.env })).settings;
  } catch (cause) {
    if (!existsSync(config)) throw cause;
    throw new Error(`${messageOf(cause)}; or name the audit file in place of --config`, { cause });
  }
}

/** Opens the stream that the options name, and closes the connection once `use` has settled, or at the signal, which ends what is read. */
export async function withStream<T>(
  options: Options,
  use: (stream: AuditStream) => Promise<T>,
  ended: AbortSignal = new AbortController().signal,
): Promise<T> {
  const { connection: to, stream: named, gateway: configured } = await placeOf(options);
  const connection = await dial(to);
  const close = (): void => void connection.close();
  ended.addEventListener("abort", close);
  try {
    const { findStream, streamLines } = await import("../../gateway/audit-stream/reader.ts");
    const name = named ?? (await findStream(connection));
    const chosen = textOf(options.gateway);
    return await use({
      name,
      gateway: configured,
      lines: ({ gateway = chosen, after = 0, follow = false } = {}) =>
        streamLines(connection, { stream: name, gateway, after, follow }),
    });
  } finally {
    ended.removeEventListener("abort", close);
    await connection.close();
  }
}

async function dial(to: NatsConnectionOptions): Promise<NatsConnection> {
  const { NatsDialer } = await installed(load, "an audit stream", "@nats-io/transport-node @nats-io/jetstream");
  const dialer = new NatsDialer(to, "trading-admin");
  try {
    const { connection } = await dialer.dial(new AbortController().signal);
    return connection;
  } catch (cause) {
    throw new Error(`no connection to the NATS servers at ${dialer.address}: ${messageOf(cause)}`, { cause });
  }
}

/** The NATS client is an optional package. */
async function load() {
  await import("../../gateway/audit-stream/reader.ts");
  return import("../../../transports/nats/dialer.ts");
}

interface Place {
  readonly connection: NatsConnectionOptions;
  readonly stream: string | undefined;
  readonly gateway: string | undefined;
}

async function placeOf(options: Options): Promise<Place> {
  const named = textOf(options.stream);
  const nats = textOf(options.nats);
  const config = textOf(options.config);
  const settings = config === undefined ? undefined : await settingsOf(config);
  const gateway = settings?.["admin.gateway.name"];
  if (nats !== undefined)
    return { stream: named, gateway, connection: { servers: nats.split(","), ...loginOf(options) } };
  if (!config || !settings) throw new UsageError("--stream: name the NATS servers as well, with --nats or --config");
  const link = await sharedNatsSettings(settings);
  if (!link) throw withoutStream(config, settings["admin.audit.file"]);
  const { urls, ...login } = link;
  return { stream: named ?? settings["admin.audit.stream"], gateway, connection: { servers: urls, ...login } };
}

function withoutStream(config: string, file: string | undefined): UsageError {
  const instead =
    file === undefined
      ? ", and no file (admin.audit.file): its records are in its log alone"
      : `; its records are in the file ${file}`;
  return new UsageError(`--config: ${config} names no NATS servers (admin.shared.nats.url)${instead}`);
}

function loginOf(options: Options): Omit<NatsConnectionOptions, "servers"> {
  const tls = readTls(options);
  const credentials = textOf(options.credentials);
  return {
    token: readToken(options.tokenFile),
    credentials: credentials && textOfFile(credentials, "--credentials: the file cannot be read"),
    ...(Object.keys(tls).length > 0 && { tls }),
  };
}

function textOf(option: Options[string]): string | undefined {
  return typeof option === "string" ? option : undefined;
}
