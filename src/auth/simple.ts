import { availableParallelism } from "node:os";
import { type Clock, systemClock } from "../core/clock.ts";
import { harmlessLog } from "../core/host-calls.ts";
import { forEachInTurns, LoopTurns } from "../core/load/turns.ts";
import type { Logger } from "../core/logger.ts";
import { CLOCK, ifGiven, LOGGER, MS, methodsOf, type OptionTable, optionsOf, textLike } from "../core/options.ts";
import { type Environment, isObject } from "../core/values/basics.ts";
import { FileWatch, RULES_NOT_RELOADED } from "../files/file-watch.ts";
import type { Authenticator } from "./authenticator.ts";
import { DirectoryAuthenticator } from "./basic.ts";
import { fileDirectory } from "./file-directory.ts";
import type { KnownUser } from "./names.ts";
import { HashThreads } from "./passwords/hash-threads.ts";
import { accessFiles } from "./security-file.ts";
import type { SharedLoginFailures } from "./throttle/login-delays.ts";

/** Where the access files are, and what they may use. */
export interface SimpleAuthenticationOptions {
  /** Directory of `uac-file-security.xml` and `uac-access-rules.xml`. */
  readonly directory: string;
  /** Variables for `${NAME}` in `uac-file-security.xml`. */
  readonly environment: Environment;
  /** Where warnings and errors of the files are written; `console` fits. */
  readonly log: Logger;
  /** Longest delay of a login after failed ones, in milliseconds; 5,000 unless given, 0 slows nothing. */
  readonly maxLoginDelayMs?: number | undefined;
  /** Wrong passwords at other gateways, which count here too; none unless given. */
  readonly sharedFailures?: SharedLoginFailures | undefined;
  /** Source of time; the machine's own unless given, `ManualClock` of the testing entry in tests. */
  readonly clock?: Clock;
}

export const SIMPLE_OPTIONS: OptionTable<SimpleAuthenticationOptions> = {
  directory: textLike('"config"'),
  environment: { like: "process.env", fits: isObject },
  log: LOGGER,
  maxLoginDelayMs: ifGiven(MS),
  sharedFailures: ifGiven(methodsOf(["tell", "listen"], "{ tell, listen }")),
  clock: ifGiven(CLOCK),
};

const checked = optionsOf<SimpleAuthenticationOptions>("openSimpleAuthentication", SIMPLE_OPTIONS);

/** HTTP Basic against access files that are reloaded on change. */
export interface SimpleAuthentication {
  /** For `adminHandler` and `adminMiddleware`. */
  readonly authenticator: Authenticator;
  /** The users who may log in now, in the order of their source. */
  users(): readonly KnownUser[];
  /**
   * Reads files, and a directory, again, changed or not, and forgets all logins. Resolves to false, after an error in the log, when they
   * cannot be used: then the previous users and rules stay active.
   */
  reload(): Promise<boolean>;
  /** Stops watching the files, and what checks passwords: threads, or connections to a directory. */
  close(): void;
}

/** Each hash takes a core and megabytes: guessing must not eat the machine, and a core is left for everything else. */
const HASHES_AT_A_TIME = availableParallelism() > 2 ? 2 : 1;

/**
 * Sets up the mechanism SIMPLE (specification, "Authentication" 2): both access files are read, and read again within seconds
 * when one of them changes. Warnings of the files go to `log`, at each reading.
 *
 * @throws SecurityFileError when a file is missing or broken.
 *
 * @example
 * const { authenticator } = await openSimpleAuthentication({ directory: "access", environment: process.env, log: console });
 * createServer(adminHandler(api, { authenticator })).listen(8988, "127.0.0.1");
 */
export async function openSimpleAuthentication(options: SimpleAuthenticationOptions): Promise<SimpleAuthentication> {
  const { environment, maxLoginDelayMs: maxDelayMs, clock = systemClock } = checked(options);
  const log = harmlessLog(options.log);
  const paths = accessFiles(options.directory);
  const limits = { checksAtATime: HASHES_AT_A_TIME, maxDelayMs, sharedFailures: options.sharedFailures };
  const threads = new HashThreads();
  const authenticator = new DirectoryAuthenticator(fileDirectory(new Map(), threads), clock, limits);
  let users: readonly KnownUser[] = [];
  const known = new Set<string>();

  async function apply(): Promise<void> {
    // Who has another mechanism needs no XML parser and no hashes.
    const { readAccessFiles } = await import("./simple-users.ts");
    const read = await readAccessFiles(options.directory, environment, known);
    for (const name of read.names) known.add(name);
    const ableToLogIn = [...read.users.values()].filter(({ password }) => password.kind !== "locked");
    users = ableToLogIn.map(({ name, permissions }) => ({ name, permissions }));
    authenticator.replaceDirectory(fileDirectory(read.users, threads));
    const turns = new LoopTurns();
    await forEachInTurns(turns, read.errors, (error) => log.error(error));
    await forEachInTurns(turns, read.warnings, (warning) => log.warn(warning));
  }

  const watch = await FileWatch.open({ paths, apply, clock, log, failure: RULES_NOT_RELOADED });
  const close = (): void => {
    watch.close();
    threads.close();
  };
  return { authenticator, users: () => users, reload: () => watch.reload(), close };
}
