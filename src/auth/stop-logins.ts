import type { Clock } from "../core/clock.ts";
import type { Logger } from "../core/logger.ts";
import type { Authentication } from "./authenticator.ts";
import { DirectoryPrincipal } from "./directory-principal.ts";
import type { UserDirectory } from "./names.ts";
import type { RememberedLogins } from "./remembered-logins.ts";

/** What credentials are worth while the directory is out of reach. */
export interface StopLoginOptions {
  /** How long after the directory accepted them they are still worth a stop, in milliseconds. */
  readonly lifetimeMs: number;
  readonly log: Logger;
}

/** What a stop waits for the directory, if its credentials were right before; as long as it waits for its record. */
const WAIT_MS = 500;

/** Lines in the log a minute; the audit has a record of each stop. */
const MAX_LINES = 20;
const MINUTE_MS = 60_000;

/**
 * Lets callers stop trading while the directory is out of reach, by credentials that it has accepted before: neither it nor its
 * silence may stand in the way of a stop. Everything else stays refused (decision D-AUTH 11).
 */
export class StopLogins {
  readonly #clock: Clock;
  readonly #options: StopLoginOptions;
  readonly #remembered: RememberedLogins;
  #lines = 0;
  #linesSince = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, remembered: RememberedLogins, options: StopLoginOptions) {
    this.#clock = clock;
    this.#remembered = remembered;
    this.#options = options;
  }

  /** The result of a check of credentials; what is known of them when it fails, or takes too long. */
  resultOf(checking: Promise<Authentication>, digest: string, directory: () => UserDirectory): Promise<Authentication> {
    return new Promise((resolve, reject) => {
      let isLetIn = false;
      const letIn = (): void => {
        const known = isLetIn ? undefined : this.#known(digest, directory);
        if (!known) return;
        isLetIn = true;
        resolve(known);
      };
      const cancel = this.#clock.schedule(WAIT_MS, letIn);
      checking.finally(cancel).then(resolve, (error: unknown) => {
        letIn();
        reject(error);
      });
    });
  }

  /** The user as known now: one who was removed is not let in, and permissions are those of today's access rules. */
  #known(digest: string, directory: () => UserDirectory): Authentication | undefined {
    const acceptance = this.#remembered.acceptance(digest);
    // The distance counts, as the machine's clock may be set back.
    const isRecent = acceptance && Math.abs(this.#clock.now() - acceptance.at) < this.#options.lifetimeMs;
    const user = isRecent ? directory().known?.(acceptance.name) : undefined;
    if (!acceptance || !user) return undefined;
    this.#report(user.name, acceptance.at);
    return { kind: "principal", principal: new DirectoryPrincipal(user, directory) };
  }

  #report(name: string, acceptedAt: number): void {
    const now = this.#clock.now();
    if (Math.abs(now - this.#linesSince) >= MINUTE_MS) {
      this.#lines = 0;
      this.#linesSince = now;
    }
    this.#lines += 1;
    if (this.#lines > MAX_LINES) return;
    const more = this.#lines === MAX_LINES ? ". Others within this minute are not logged" : "";
    const time = new Date(acceptedAt).toISOString();
    this.#options.log.warn(
      `The directory is out of reach: ${JSON.stringify(name)} is let in for a stop, by credentials that it accepted at ${time}${more}`,
    );
  }
}
