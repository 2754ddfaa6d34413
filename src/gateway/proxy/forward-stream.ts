import type { Readable, Writable } from "node:stream";
import { MONITOR_CALLER } from "../../core/load/caller-queue.ts";
import type { Gate } from "../../core/load/gate.ts";

/** Minimum cost of a read, in bytes. */
const MIN_COST = 2 * 1024;

/**
 * Writes what the monitor sends to a caller: each read in its own turn, but for the first `immediateBytes`. While it waits, for its
 * turn or for the caller, no more is read than the stream buffers.
 */
export function forwardStream(source: Readable, target: Writable, gate: Gate, immediateBytes = 0): void {
  let isWaiting = false;
  let immediate = immediateBytes;
  const wait = (begin: (proceed: () => void) => void, then: () => void): void => {
    isWaiting = true;
    begin(() => {
      isWaiting = false;
      then();
    });
  };
  const write = (): void => {
    const bytes: Buffer | null = target.destroyed ? null : source.read();
    if (bytes === null) return;
    immediate -= Math.max(bytes.length, MIN_COST);
    if (!target.write(bytes)) wait((proceed) => target.once("drain", proceed), offer);
  };
  const writeInTurn = (): void => {
    // A response would leave after the turn otherwise. Corked itself it would not tell whether its connection has room (Node 22).
    const connection = connectionOf(target);
    connection.cork();
    write();
    connection.uncork();
  };
  const offer = (): void => {
    if (isWaiting) return;
    if (source.readableLength <= Math.max(immediate, 0)) write();
    else wait((proceed) => gate.schedule(MONITOR_CALLER, "other", proceed), writeInTurn);
  };
  source.on("readable", offer);
}

function connectionOf(target: Writable & { readonly socket?: Writable | null }): Writable {
  return target.socket ?? target;
}
