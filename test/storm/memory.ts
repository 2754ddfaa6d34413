import type { ChildProcess } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";

const LOOK_MS = 50;

/** More than any bound that is asserted; a gateway that takes more would in the end take the machine's. */
const TOO_MUCH_MB = 1_500;

/** Resident memory of a process in megabytes; 0 when it has ended. */
export function residentMb(pid: number): number {
  const file = `/proc/${pid}/status`;
  const [, kb = "0"] = /VmRSS:\s+(\d+) kB/.exec(existsSync(file) ? readFileSync(file, "utf8") : "") ?? [];
  return Math.round(Number(kb) / 1024);
}

/** Descriptors that a process has open; 0 when it has ended. */
export function openDescriptors(pid: number): number {
  const folder = `/proc/${pid}/fd`;
  return existsSync(folder) ? readdirSync(folder).length : 0;
}

/** Watches the memory of a process while a flood lasts, and ends the flood when it takes too much. */
export class MemoryWatch {
  #peakMb = 0;
  readonly #timer: NodeJS.Timeout;

  constructor(pid: number, flood: ChildProcess) {
    this.#timer = setInterval(() => {
      this.#peakMb = Math.max(this.#peakMb, residentMb(pid));
      if (this.#peakMb > TOO_MUCH_MB) flood.kill("SIGKILL");
    }, LOOK_MS);
  }

  get peakMb(): number {
    return this.#peakMb;
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
