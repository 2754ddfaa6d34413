import { nameKey } from "../auth/names.ts";
import { type Clock, monotonicMs } from "../core/clock.ts";
import { MAX_REQUESTS_PER_USER } from "../core/records/waiting.ts";
import { BoundedMap } from "../core/values/bounded-map.ts";
import type { ApprovalRequest, ApprovalStore, Approver, StoredApprovalRequest } from "./approvals.ts";

/** When something was put, by both clocks: one may be set, the other may stop while the machine sleeps. */
interface Moment {
  readonly wallMs: number;
  readonly monotonicMs: number;
}

/** How long an expired request is remembered. */
const REMEMBERED_MS = 3_600_000;

/** Expired requests that are remembered. */
const MAX_EXPIRED = 100;

/** Requests in the memory of this process: both people have to use the same gateway. */
export class MemoryApprovals implements ApprovalStore {
  readonly #clock: Clock;
  readonly #withinMs: number;
  /** By user and command; of one user, oldest first. */
  readonly #byUser = new Map<string, BoundedMap<string, StoredApprovalRequest & Moment>>();
  /** By revision of what they took, which a later request may have replaced meanwhile. */
  readonly #takers = new Map<number, { readonly taker: Approver } & Moment>();
  /** The latest by command. */
  readonly #expired = new BoundedMap<string, StoredApprovalRequest & Moment>(MAX_EXPIRED);
  #revision = 0;

  constructor(clock: Clock, withinMs: number) {
    this.#clock = clock;
    this.#withinMs = withinMs;
  }

  async put(request: ApprovalRequest): Promise<number> {
    this.#revision += 1;
    const user = nameKey(request.user);
    const own = this.#byUser.get(user) ?? new BoundedMap<string, StoredApprovalRequest & Moment>(MAX_REQUESTS_PER_USER);
    this.#byUser.set(user, own);
    own.setNewest(request.command, { request, revision: this.#revision, ...this.#now() });
    return this.#revision;
  }

  async list(command: string): Promise<readonly StoredApprovalRequest[]> {
    this.#forgetOld();
    const found = [...this.#byUser.values()].flatMap((own) => own.get(command) ?? []);
    return found
      .toSorted((a, b) => a.revision - b.revision)
      .map(({ request, revision }) => this.#kept(request, revision));
  }

  async take(revision: number, taker: Approver): Promise<Approver | undefined> {
    const before = this.#takers.get(revision)?.taker;
    if (!before) this.#takers.set(revision, { taker, ...this.#now() });
    return before;
  }

  async expired(command: string): Promise<StoredApprovalRequest | undefined> {
    this.#forgetOld();
    return this.#expired.get(command);
  }

  #kept(request: ApprovalRequest, revision: number): StoredApprovalRequest {
    const taken = this.#takers.get(revision);
    return { request, revision, ...(taken && { taker: taken.taker }) };
  }

  #now(): Moment {
    return { wallMs: this.#clock.now(), monotonicMs: monotonicMs(this.#clock) };
  }

  #forgetOld(): void {
    const now = this.#now();
    const isOld = ({ wallMs, monotonicMs: since }: Moment, afterMs = this.#withinMs): boolean =>
      Math.max(Math.abs(now.wallMs - wallMs), now.monotonicMs - since) > afterMs;
    for (const [user, own] of this.#byUser) {
      for (const kept of own.values()) if (isOld(kept)) this.#expire(own, kept);
      if (own.size === 0) this.#byUser.delete(user);
    }
    for (const [revision, taken] of this.#takers) if (isOld(taken)) this.#takers.delete(revision);
    for (const [command, kept] of this.#expired)
      if (isOld(kept, this.#withinMs + REMEMBERED_MS)) this.#expired.delete(command);
  }

  #expire(own: Map<string, StoredApprovalRequest & Moment>, kept: StoredApprovalRequest & Moment): void {
    const { request, revision } = kept;
    const { command } = request;
    own.delete(command);
    if (revision > (this.#expired.get(command)?.revision ?? 0))
      this.#expired.setNewest(command, { ...kept, ...this.#kept(request, revision) });
  }
}
