import type { EngineRequest } from "../core/engine/transport.ts";
import { type EngineInput, type OperationName, operations } from "../core/operations/table.ts";
import { COUNT, functionLike, ifGiven, MS, oneOf, optionsOf, requireArgument, textLike } from "../core/options.ts";

/** A request to the engine, its input typed by its operation. */
export interface TypedRequest<K extends OperationName> extends EngineRequest {
  /** Name of the operation. */
  readonly method: K;
  /** All fields, with defaults. */
  readonly input: EngineInput<K>;
}

export type FaultKind =
  /** The request reaches the engine `ms` later. */
  | { readonly kind: "delay"; readonly ms: number }
  /** The request is lost on the way without a sign. */
  | { readonly kind: "drop" }
  /** The engine does what is asked, and its reply comes after the deadline, by `ms` if given. */
  | { readonly kind: "late"; readonly ms?: number }
  /** The reply comes twice. */
  | { readonly kind: "twice" }
  /** The engine rejects the request with this reason. */
  | { readonly kind: "reject"; readonly message: string }
  /** The bus takes no more requests: it is not sent. */
  | { readonly kind: "overload" }
  /** There is no way to the engine: it is not sent. */
  | { readonly kind: "unavailable" }
  /** The link breaks before the request is sent. */
  | { readonly kind: "cut-before" }
  /** The link breaks after the request was sent: the engine does what is asked, and no reply comes. */
  | { readonly kind: "cut-after" }
  /** The engine does what is asked, and its reply makes no sense. */
  | { readonly kind: "garbage" };

/** Which requests a fault is for; all unless it says. */
export interface FaultFilter<K extends OperationName> {
  /** Name of the operation; every one unless given. */
  readonly operation?: K;
  readonly when?: (request: TypedRequest<K>) => boolean;
  /** How many of these requests it is for; all of them unless given. */
  readonly times?: number;
  /** Only the nth of these requests, counted from 1. */
  readonly nth?: number;
}

/** A fault and the requests that it is for. */
export type Fault<K extends OperationName = OperationName> = FaultKind & FaultFilter<K>;

const KINDS: Readonly<Record<FaultKind["kind"], true>> = {
  delay: true,
  drop: true,
  late: true,
  twice: true,
  reject: true,
  overload: true,
  unavailable: true,
  "cut-before": true,
  "cut-after": true,
  garbage: true,
};

/** The fields of all kinds. */
type FaultFields = Pick<FaultKind, "kind"> &
  FaultFilter<OperationName> & { readonly ms?: number; readonly message?: string };

/** A fault that no request meets would let its test pass. */
const checked = optionsOf<FaultFields>("A fault", {
  kind: oneOf(KINDS),
  operation: ifGiven(textLike('"haltTrading"')),
  when: ifGiven(functionLike('({ input }) => input.projectionPath === ""')),
  times: ifGiven(COUNT),
  nth: ifGiven(COUNT),
  ms: ifGiven(MS),
  message: ifGiven(textLike('"Unknown service"')),
});

const OPERATION = oneOf(operations);

/** Decides which requests go wrong; of several faults that fit, the one that was added first counts. */
export class FaultScript {
  #faults: { readonly fault: Fault; seen: number; hits: number }[] = [];

  /**
   * Adds a fault.
   *
   * @example
   * rig.faults.add({ operation: "haltTrading", kind: "late" });
   * rig.faults.add({ kind: "overload", times: 2, when: ({ context }) => context.user === "alice" });
   */
  add<K extends OperationName>(fault: Fault<K>): void {
    const { operation } = checked(fault as unknown as FaultFields);
    if (operation !== undefined) requireArgument("A fault", "operation", operation, OPERATION);
    this.#faults.push({ fault: fault as unknown as Fault, seen: 0, hits: 0 });
  }

  /** Takes all faults away. Requests that they hold up stay held up. */
  clear(): void {
    this.#faults = [];
  }

  /** The fault of a request, which counts as one of those that it is for. */
  take(request: EngineRequest): FaultKind | undefined {
    for (const entry of this.#faults) {
      const { operation, when, times = Number.POSITIVE_INFINITY, nth } = entry.fault;
      if (operation !== undefined && operation !== request.method) continue;
      if (when && !when(request as TypedRequest<OperationName>)) continue;
      entry.seen += 1;
      if (entry.hits >= times || (nth !== undefined && nth !== entry.seen)) continue;
      entry.hits += 1;
      return entry.fault;
    }
    return undefined;
  }
}
