import { hash } from "node:crypto";
import { type Clock, monotonicMs } from "../core/clock.ts";
import { type ChangeName, type OperationName, operationRecord, operations } from "../core/operations/table.ts";
import type { PolicyRequest } from "../core/policy/policy.ts";
import { type Permission, type Principal, stillHas } from "../core/principal.ts";
import type { ApprovedRequest, SecondPerson } from "../core/records/record.ts";
import { changeKey } from "../core/records/waiting.ts";
import type { StopKind } from "../core/stops/stoppable.ts";
import { within } from "../core/timeout.ts";
import { BoundedMap } from "../core/values/bounded-map.ts";
import type { ApprovalRequest, ApprovalStore, Approver, SentChange, StoredApprovalRequest } from "./approvals.ts";
import { isSameUser, latestOfOthers, latestSent } from "./earlier-requests.ts";
import { awaited, type End, endWords, sentBy, stoppedMeanwhile } from "./two-person-words.ts";

/** Operations that need two people. */
export interface TwoPersonOptions {
  /** Changes; a stop never needs a second person. */
  readonly operations: readonly ChangeName[];
  /** Milliseconds within which the second person must confirm; 5 minutes unless given. A `store` has to keep requests for as long. */
  readonly withinMs?: number;
  /** Where requests wait; the memory of this process unless given: then both people have to use the same gateway. */
  readonly store?: ApprovalStore;
  /** Name of this gateway, for people at others that have the same store. */
  readonly gateway?: string;
  /**
   * What a user may do now whose request came through another gateway; undefined for a user who no longer exists. Unless given, such a request
   * counts until it expires.
   */
  readonly permissionsOf?: (user: string) => ReadonlySet<Permission> | undefined;
  /** Milliseconds that the store may take, 5,000 unless given: half of `timeoutMs` of the API. */
  readonly storeTimeoutMs?: number;
  /** Source of time; the machine's own unless given, `ManualClock` of the testing entry in tests. */
  readonly clock?: Clock;
}

const STORE_TIMEOUT_MS = 5_000;
const MAX_STOPS = 1_000;

type ApprovalsOptions = TwoPersonOptions &
  Required<Pick<TwoPersonOptions, "withinMs" | "clock" | "store">> & { readonly isShared: boolean };

interface LatestStop {
  /** Place of the request in the order of arrival. */
  readonly arrival: number;
  /** Revision of the latest request that was made before it: nobody is told of what was sent until then. */
  readonly since: number;
}

interface NewRequest {
  readonly pending: ApprovalRequest;
  readonly revision: number;
  /** The user's entry before this one. */
  readonly before: StoredApprovalRequest | undefined;
  readonly began: number;
}

/** Decides by the pending requests of a store (decisions D-SHARE 1 and D-SHARE 2). */
export class Approvals {
  readonly #options: ApprovalsOptions;
  /** Users who sent requests through this gateway. A shared store returns other objects. */
  readonly #principals = new WeakMap<ApprovalRequest, Principal>();
  /** Stops whose requests to take them back are not void yet, by the command that does. */
  readonly #unvoided = new BoundedMap<string, Omit<Approver, "user">>(MAX_STOPS);
  /** By the command that takes it back. */
  readonly #latestStops = new BoundedMap<string, LatestStop>(MAX_STOPS);

  constructor(options: ApprovalsOptions) {
    this.#options = options;
  }

  async decide(request: PolicyRequest): Promise<string | undefined> {
    const { store, clock } = this.#options;
    const began = monotonicMs(clock);
    const pending = await this.#pendingFrom(request);
    if (this.#isBeforeStop(request, pending)) return stoppedMeanwhile(request);
    const voider = this.#unvoided.get(pending.command);
    if (voider) await this.#void(pending.command, voider);
    const known = await store.list(pending.command);
    const before = known.find((kept) => isSameUser(kept.request, pending));
    const news = this.#newsIn(known, pending, before);
    if (news) {
      await store.put({ ...pending, told: news });
      return sentBy(request, news);
    }
    this.#requireTime(began);
    const revision = await store.put(pending);
    if (this.#isBeforeStop(request, pending)) {
      await this.#take({ request: pending, revision }, takerOf(pending));
      return stoppedMeanwhile(request);
    }
    return this.#answer(request, { pending, revision, before, began });
  }

  /**
   * A request that arrived before a stop does not count (decision D-SHARE 7), as its user did not know of the stop: each is taken in that
   * user's name. Where the store is unavailable, the next request at this gateway has to do it first.
   */
  async stopped({ principal, input, context }: PolicyRequest, { undo, target }: StopKind): Promise<void> {
    const { requestId, arrival } = context;
    const { gateway, clock, storeTimeoutMs = STORE_TIMEOUT_MS } = this.#options;
    const command = commandOf(undo, Object.fromEntries(target.map((field) => [field, Reflect.get(input, field)])));
    const stoppedBy = principal.name;
    const voider = { stoppedBy, requestId, at: clock.now(), ...(gateway !== undefined && { gateway }) };
    this.#unvoided.set(command, voider);
    const before = this.#latestStops.get(command);
    const latest = { since: before?.since ?? 0, arrival: Math.max(arrival, before?.arrival ?? 0) };
    this.#latestStops.setNewest(command, latest);
    const voiding = this.#void(command, voider);
    await within(clock, storeTimeoutMs, voiding, `The store of approvals did not respond within ${storeTimeoutMs} ms`);
  }

  async #void(command: string, voider: Omit<Approver, "user">): Promise<void> {
    const { store } = this.#options;
    const known = await store.list(command);
    await Promise.all(known.map(({ request: { user }, revision }) => store.take(revision, { user, ...voider })));
    const since = Math.max(0, ...known.map(({ revision }) => revision));
    this.#latestStops.setNewest(command, { arrival: 0, ...this.#latestStops.get(command), since });
    if (this.#unvoided.get(command) === voider) this.#unvoided.delete(command);
  }

  /** Whether the user cannot know of the latest stop: their login, their body or a read took its time. */
  #isBeforeStop({ context: { arrival } }: PolicyRequest, { command }: ApprovalRequest): boolean {
    return arrival < (this.#latestStops.get(command)?.arrival ?? 0);
  }

  /** What somebody else has sent, unless it took back an earlier stop than the one that is active now. */
  #newsIn(
    known: readonly StoredApprovalRequest[],
    pending: ApprovalRequest,
    before: StoredApprovalRequest | undefined,
  ): SentChange | undefined {
    const since = this.#latestStops.get(pending.command)?.since ?? 0;
    const ofThisStop = known.filter(
      ({ request, revision }) => revision > since && (pending.stop === undefined || request.stop === pending.stop),
    );
    return latestSent(ofThisStop, pending, before);
  }

  /** All concurrent callers see the earliest request, and whether it was taken: so they never take each other's. */
  async #answer(request: PolicyRequest, asked: NewRequest): Promise<string | undefined> {
    const { pending, revision, before, began } = asked;
    const { store } = this.#options;
    const known = await store.list(pending.command);
    const news = this.#newsIn(known, pending, before);
    const first = known.find((kept) => kept.revision < revision && this.#counts(kept, pending, request));
    if (!news && !first) return this.#awaited(request, pending, await this.#endBefore(request, known, asked));
    this.#requireTime(began);
    const taker = takerOf(pending);
    // The user's own request is voided first, or somebody else could take it meanwhile.
    const mine = await this.#take({ request: pending, revision }, taker);
    const sent = mine ?? news ?? (first && (await this.#take(first, taker)));
    if (sent) return isSameUser(sent.taker, sent) ? stoppedMeanwhile(request) : sentBy(request, sent);
    if (first) annotate(request, requesterOf(first.request));
    return undefined;
  }

  /** Takes a request; resolves to who has sent the change where somebody else was first. */
  async #take(
    { request: { user }, revision }: StoredApprovalRequest,
    taker: Approver,
  ): Promise<SentChange | undefined> {
    const other = await this.#options.store.take(revision, taker);
    return other && { user, revision, taker: other };
  }

  async #pendingFrom(request: PolicyRequest): Promise<ApprovalRequest> {
    const { principal, input, context } = request;
    const { gateway, clock } = this.#options;
    const reason = "reason" in input ? input.reason : undefined;
    const stop = await context.reasonOfStop();
    const pending = {
      command: commandOf(request.operation, input),
      user: principal.name,
      requestId: context.requestId,
      at: clock.now(),
      ...(reason !== undefined && { reason }),
      ...(stop !== undefined && { stop }),
      ...(gateway !== undefined && { gateway }),
    };
    this.#principals.set(pending, principal);
    return pending;
  }

  /** A request to take another stop back than the one that the engine shows now does not count (decision D-SHARE 7). */
  #counts({ request: other, taker }: StoredApprovalRequest, pending: ApprovalRequest, request: PolicyRequest): boolean {
    if (taker || other.told || isSameUser(other, pending) || other.stop !== pending.stop) return false;
    return this.#mayStill(other, request);
  }

  /** The request of a user who was removed since, or lost the permission, does not count (decision D-UAC 17). */
  #mayStill(pending: ApprovalRequest, { operation }: PolicyRequest): boolean {
    const { permission } = operationRecord(operations, operation);
    const { permissionsOf } = this.#options;
    const principal = this.#principals.get(pending);
    if (permission === null) return true;
    if (principal) return stillHas(principal, permission);
    return permissionsOf === undefined || permissionsOf(pending.user)?.has(permission) === true;
  }

  /** How the request ended that the user may have meant to approve. */
  async #endBefore(
    request: PolicyRequest,
    known: readonly StoredApprovalRequest[],
    { pending, revision, before }: NewRequest,
  ): Promise<End | undefined> {
    const expired = await this.#options.store.expired?.(pending.command);
    const earlier = [expired, before, ...known].filter((kept) => kept && kept.revision < revision);
    const latest = latestOfOthers(earlier, pending);
    if (!latest || latest.request.told) return undefined;
    const { request: other, taker } = latest;
    if (taker) return taker.stoppedBy === undefined ? undefined : { of: other, cause: taker };
    if (latest === expired) return { of: other, cause: "expired" };
    if (other.stop !== pending.stop) return { of: other, cause: "stop changed" };
    return this.#mayStill(other, request) ? undefined : { of: other, cause: "permission" };
  }

  /** A request whose call has been refused meanwhile would count in vain, and a take would void somebody else's. */
  #requireTime(began: number): void {
    const { clock, storeTimeoutMs = STORE_TIMEOUT_MS } = this.#options;
    const tookMs = Math.round(monotonicMs(clock) - began);
    if (tookMs > storeTimeoutMs / 2) throw new Error(`It took ${tookMs} ms to find out who asked`);
  }

  #awaited(request: PolicyRequest, { user, at, gateway }: ApprovalRequest, end: End | undefined): string {
    const { withinMs, isShared } = this.#options;
    const until = new Date(at + withinMs).toISOString();
    annotate(request, { awaitedUntil: until, ...(isShared && { awaitedIn: "store" }) });
    const words = awaited(request, { user, gateway, where: isShared ? ", at any gateway," : "", until });
    return end ? `${endWords(request, end, at)}. ${words}` : words;
  }
}

function takerOf({ command: _, reason: __, stop: ___, ...taker }: ApprovalRequest): Approver {
  return taker;
}

function requesterOf({ user, requestId, at, reason }: ApprovalRequest): ApprovedRequest {
  const requester = { requestedBy: user, requestedAt: new Date(at).toISOString(), requestId };
  return reason === undefined ? requester : { ...requester, requestReason: reason };
}

function annotate({ context }: PolicyRequest, annotations: SecondPerson): void {
  for (const [name, value] of Object.entries(annotations)) context.annotate(name, value);
}

function commandOf(operation: OperationName, input: object): string {
  return hash("sha256", changeKey(operation, input), "hex");
}
