import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { type FileHandle, open, readdir, rename, unlink } from "node:fs/promises";
import { connect, createServer, type Server } from "node:net";
import { basename, dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { messageOf } from "../core/values/basics.ts";
import { AuditFileError, ifThere, isMissing } from "./disk.ts";

/** Attempts of two programs that start at the same time, before both give up. */
const ATTEMPTS = 4;

const MAX_PAUSE_MS = 50;

/** Capacity of `sockaddr_un` on every system, without the final zero. */
const MAX_ADDRESS_LENGTH = 103;

/** The part of a lock's name after `audit.jsonl.lock.`. */
const OWNER = /^(\d+)\.[0-9a-f]{8}$/;

/**
 * An exclusive lock on a file: a socket beside it, `audit.jsonl.lock.PID.RANDOM`, which accepts connections while its process lives, so
 * that a killed process leaves no stale lock. Each process publishes its socket first and then probes the others, so that
 * of two at least one sees the other.
 */
export class FileLock {
  readonly #server: Server;
  readonly #path: string;

  private constructor(server: Server, path: string) {
    this.#server = server;
    this.#path = path;
  }

  /** Acquires the lock of a file; rejects with {@link AuditFileError} while any process holds it. */
  static async take(path: string): Promise<FileLock> {
    for (let attempt = 1; ; attempt += 1) {
      const lock = await FileLock.#publish(path);
      const holder = await otherHolder(path, lock.#path);
      if (holder === undefined) return lock;
      await lock.release();
      if (attempt === ATTEMPTS) {
        throw new AuditFileError(path, `is in use by process ${holder}; stop it, or give this gateway its own file`);
      }
      await pause(Math.random() * MAX_PAUSE_MS);
    }
  }

  /** Whether a process of this machine holds the lock of a file; changes nothing. */
  static async isHeld(path: string): Promise<boolean> {
    for (const { socket } of await socketsOf(path)) if (await withAddress(socket, acceptsConnections)) return true;
    return false;
  }

  async release(): Promise<void> {
    await ifThere(unlink(this.#path));
    const closed = once(this.#server, "close");
    this.#server.close();
    await closed;
  }

  static async #publish(path: string): Promise<FileLock> {
    const name = `${basename(path)}.lock.${process.pid}.${randomBytes(4).toString("hex")}`;
    const published = join(dirname(path), name);
    try {
      const server = await withAddress(join(dirname(path), `.${name}`), listen);
      // Under its final name it must accept connections from the start: one that does not counts as dead.
      await rename(join(dirname(path), `.${name}`), published);
      return new FileLock(server, published);
    } catch (cause) {
      const remedy = "its folder has to be on a local disk, and this process must be able to write there";
      throw new AuditFileError(path, `cannot be locked: ${messageOf(cause)}; ${remedy}`, { cause });
    }
  }
}

async function listen(address: string): Promise<Server> {
  const server = createServer((socket) => socket.destroy());
  server.listen({ path: address, exclusive: true });
  await once(server, "listening");
  // Only the existence of the socket counts, not whether a connection could be accepted.
  server.on("error", () => {});
  return server.unref();
}

/** Process id of another holder of the lock; sockets of dead processes are removed. */
async function otherHolder(path: string, own: string): Promise<string | undefined> {
  for (const { socket, pid } of await socketsOf(path)) {
    if (socket === own) continue;
    if (await withAddress(socket, acceptsConnections)) return pid;
    await ifThere(unlink(socket));
  }
  return undefined;
}

/** The sockets of a lock, also those of dead processes. */
async function socketsOf(path: string): Promise<{ readonly socket: string; readonly pid: string }[]> {
  const prefix = `${basename(path)}.lock.`;
  const entries = await readdir(dirname(path), { withFileTypes: true });
  return entries.flatMap((entry) => {
    if (!entry.isSocket() || !entry.name.startsWith(prefix)) return [];
    const pid = OWNER.exec(entry.name.slice(prefix.length))?.[1];
    return pid === undefined ? [] : [{ socket: join(dirname(path), entry.name), pid }];
  });
}

/** Whether a process is behind a socket; true if in doubt. */
function acceptsConnections(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(address);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", (error: NodeJS.ErrnoException) => resolve(error.code !== "ECONNREFUSED" && !isMissing(error)));
  });
}

/** Converts a path to a socket address; one that is too long is shortened by means of its open folder. */
async function withAddress<T>(path: string, use: (address: string) => Promise<T>): Promise<T> {
  if (Buffer.byteLength(path) <= MAX_ADDRESS_LENGTH) return use(path);
  if (process.platform !== "linux") throw new Error("the path is too long, use a folder with a shorter one");
  const folder: FileHandle = await open(dirname(path));
  try {
    return await use(`/proc/self/fd/${folder.fd}/${basename(path)}`);
  } finally {
    await folder.close();
  }
}
