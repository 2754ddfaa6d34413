import type { Output } from "../core/operations/table.ts";
import { exactSum, isDecimalText } from "../core/values/decimal-text.ts";
import {
  ANY_PROJECTION_KEY,
  type PathSegment,
  ProjectionSyntaxError,
  parseProjection,
  parseProjectionPath,
} from "../core/values/projection.ts";
import type { AdminClient, CallOptions } from "./client.ts";
import { type ConfirmOptions, confirmed, NotConfirmedError } from "./confirmation.ts";
import {
  byInstrument,
  describedEngine,
  isRefusal,
  offeredProjections,
  projectionsNamedIn,
  USUAL_POSITION_PROJECTIONS,
} from "./engine-offer.ts";
import { AdminClientError } from "./errors.ts";
import { isAt } from "./positions-at.ts";

type Positions = Output<"listPositions">;
type Position = Positions[number];
type Client = Pick<AdminClient, "listPositions"> & Partial<Pick<AdminClient, "describeEngine">>;

/** Sizes of the open orders at one node, as decimals. */
interface OpenOrder {
  readonly projectionPath: string;
  readonly openBuySize: string | null;
  readonly openSellSize: string | null;
}

/** Open orders at a node and below, as open sizes of positions show them: none, some, or unproven. */
export type OpenOrders =
  | { readonly kind: "none" }
  | { readonly kind: "open"; readonly orders: readonly OpenOrder[] }
  | { readonly kind: "unproven"; readonly why: string };

/** Venues confirm cancels within a moment, or not at all. */
const MAX_MS = 5_000;

/**
 * Reads open sizes at a node and below, the root for everything, until there are none, for five seconds at most. Never rejects for what a
 * read meets.
 */
export async function readOpenOrders(
  client: Client,
  projectionPath: string,
  options: ConfirmOptions = {},
): Promise<OpenOrders> {
  const sizes = new OpenSizes(client, parseProjectionPath(projectionPath, ANY_PROJECTION_KEY));
  const claim = {
    words: "no orders are open",
    read: (call: CallOptions) => sizes.read(call),
    holds: ({ kind }: OpenOrders) => kind !== "open",
  };
  try {
    return await confirmed(claim, { ...options, timeoutMs: Math.min(options.timeoutMs ?? MAX_MS, MAX_MS) });
  } catch (error) {
    if (error instanceof AdminClientError) return unproven(error.message);
    if (!(error instanceof NotConfirmedError)) throw error;
    const cause = error.cause instanceof Error ? error.cause.message : "no response in time";
    return (error.lastSeen as OpenOrders | undefined) ?? unproven(`open sizes could not be read: ${cause}`);
  }
}

const MAX_NAMED = 5;

export function openOrdersWords(found: OpenOrders): string {
  if (found.kind === "none") return "no open orders";
  if (found.kind === "unproven") return `cancels requested, not proven: ${found.why}`;
  const named = found.orders.slice(0, MAX_NAMED).map((order) => `${sizeOf(order)} at ${order.projectionPath}`);
  const more = found.orders.length - named.length;
  return `open orders stay, open: ${named.join(", ")}${more === 0 ? "" : ` and ${more} more`}`;
}

function sizeOf({ openBuySize, openSellSize }: OpenOrder): string {
  return exactSum([openBuySize, openSellSize].map((size) => size?.replace("-", "")));
}

function unproven(why: string): OpenOrders {
  return { kind: "unproven", why };
}

/**
 * Open sizes in all position projections that an engine has, as an order need not be in each: those of its description; where it has none,
 * the usual ones, and those that its refusals name.
 */
class OpenSizes {
  readonly #client: Client;
  readonly #node: readonly PathSegment[];
  readonly #names = new Set<string>();
  /** Positions of each projection that the engine has; of those without open orders they are not read again. */
  readonly #lists = new Map<string, Positions>();
  readonly #refused = new Set<string>();
  /** Projections of which not everything is shown. */
  readonly #parts = new Set<string>();

  constructor(client: Client, node: readonly PathSegment[]) {
    this.#client = client;
    this.#node = node;
  }

  async read(call: CallOptions): Promise<OpenOrders> {
    if (this.#names.size === 0) await this.#nameProjections(call);
    await this.#readLists(call);
    if (this.#found() === undefined) await this.#lookFurther(call);
    if (this.#lists.size === 0)
      return unproven(`the engine has none of the position projections ${[...this.#names].join(", ")}`);
    return this.#found() ?? unproven("no position projection of the engine shows open sizes there");
  }

  async #nameProjections(call: CallOptions): Promise<void> {
    const described = (await describedEngine(this.#client, call))?.positionProjections ?? [];
    for (const name of described.length > 0 ? described : USUAL_POSITION_PROJECTIONS) this.#names.add(name);
  }

  /** Reads what is not read yet, and what showed open orders, also projections that a refusal names. */
  async #readLists(call: CallOptions): Promise<void> {
    const wanted = [...this.#names].filter((name) => this.#isWanted(name));
    await Promise.all(wanted.map((name) => this.#readList(name, call)));
    if ([...this.#names].some((name) => !this.#lists.has(name) && !this.#refused.has(name)))
      await this.#readLists(call);
  }

  #isWanted(projection: string): boolean {
    const list = this.#lists.get(projection);
    return !this.#refused.has(projection) && (list === undefined || this.#openIn(projection, list).length > 0);
  }

  async #readList(projection: string, call: CallOptions): Promise<void> {
    try {
      // Positions that the gateway does not show may have open orders.
      const onWarning = (): void => void this.#parts.add(projection);
      this.#parts.delete(projection);
      this.#lists.set(projection, await this.#client.listPositions({ projection }, { ...call, onWarning }));
    } catch (error) {
      if (!isRefusal(error)) throw error;
      this.#refused.add(projection);
      for (const name of projectionsNamedIn(error.reason)) this.#names.add(name);
    }
  }

  /** Where nothing decides: asks by the keys of the node, and for what no engine has, whose refusal may name others. */
  async #lookFurther(call: CallOptions): Promise<void> {
    this.#names.add(byInstrument(this.#node.map(({ key }) => key)));
    const offered = await offeredProjections(this.#client, call);
    if (offered !== undefined) this.#refused.add("");
    for (const name of projectionsNamedIn(offered ?? "")) this.#names.add(name);
    await this.#readLists(call);
  }

  /** Conclusion from the lists; undefined where they prove nothing. */
  #found(): OpenOrders | undefined {
    const lists = [...this.#lists];
    const working = lists.map((entry) => this.#openIn(...entry)).find(({ length }) => length > 0);
    if (working) return { kind: "open", orders: working.map(openOrder) };
    const areZero = lists.some((entry) => {
      const relevant = this.#relevant(...entry);
      return !this.#parts.has(entry[0]) && relevant.length > 0 && relevant.every(isIdle);
    });
    return areZero || this.#isEmpty(lists) ? { kind: "none" } : undefined;
  }

  /** A node without positions has no orders, where the engine refuses what it does not have: else an empty list says nothing. */
  #isEmpty(lists: readonly (readonly [string, Positions])[]): boolean {
    const holding = lists.filter(([projection]) => this.#holdsNode(projection));
    const isMeant = this.#refused.size > 0 || holding.some(([, list]) => list.length > 0);
    return isMeant && holding.length > 0 && holding.every((entry) => this.#relevant(...entry).length === 0);
  }

  /** Positions with open orders at the node. Of a projection without the keys of the node nobody knows which are at it. */
  #openIn(projection: string, list: Positions): Positions {
    return this.#holdsNode(projection) ? this.#relevant(projection, list).filter(isWorking) : [];
  }

  /** Positions at the node, or all of a projection that does not tell nodes like it apart. */
  #relevant(projection: string, list: Positions): Positions {
    return this.#holdsNode(projection) ? list.filter((position) => mayBeAt(position, this.#node)) : list;
  }

  #holdsNode(projection: string): boolean {
    const keys = parseProjection(projection, ANY_PROJECTION_KEY);
    return this.#node.every(({ key }) => keys.includes(key));
  }
}

function openOrder({ projection, openBuySize, openSellSize }: Position): OpenOrder {
  return { projectionPath: projection, openBuySize, openSellSize };
}

/** One whose path cannot be read may be at the node. */
function mayBeAt({ projection }: Position, node: readonly PathSegment[]): boolean {
  try {
    return isAt(projection, node);
  } catch (error) {
    if (error instanceof ProjectionSyntaxError) return true;
    throw error;
  }
}

/** Whether no orders work there; an engine that does not know shows no size. */
function isIdle({ openBuySize, openSellSize }: Position): boolean {
  return isZero(openBuySize) && isZero(openSellSize);
}

function isWorking({ openBuySize, openSellSize }: Position): boolean {
  return [openBuySize, openSellSize].some((size) => isDecimalText(size) && !isZero(size));
}

function isZero(size: string | null): boolean {
  return isDecimalText(size) && exactSum([size]) === "0";
}
