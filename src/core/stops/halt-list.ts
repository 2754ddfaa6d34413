import type { Call } from "../calls/call.ts";
import type { OptionalReads } from "../calls/optional-reads.ts";
import type { Reads } from "../calls/reads.ts";
import type { Clock } from "../clock.ts";
import { givenReason } from "../conventions.ts";
import type { EngineLink } from "../engine/engine-link.ts";
import { AdminError } from "../errors.ts";
import { inParallel } from "../load/concurrency.ts";
import type { Gate } from "../load/gate.ts";
import { forEachInTurns, piecesOf, type Turns } from "../load/turns.ts";
import type { BusOutput, CallName, Output } from "../operations/table.ts";
import { PATH_FIELD } from "../operations/target.ts";
import { TimeoutError, within } from "../timeout.ts";
import { type KnownStops, repetitionOf } from "./known-stops.ts";
import { type Stoppable, sameReason } from "./stoppable.ts";

export interface HaltListOptions {
  readonly stops: KnownStops;
  readonly reads: Reads;
  readonly optionalReads: OptionalReads;
  readonly link: EngineLink;
  readonly gate: Gate;
  readonly clock: Clock;
  /** Settles when the earlier records have been read. */
  readonly recalling: () => Promise<void> | undefined;
}

type Halts = Output<"listHalts">;
type Halt = Halts["halts"][number];

type EngineHalt = BusOutput<"listHalts">[number];

/** Reads of one list that are in progress at a time. */
const WIDTH = 8;

/** Halts of a long list that are looked up in one piece. */
const AT_A_TIME = 100;

/** How long a list waits for the earlier records. */
const RECALL_MS = 3_000;

/** Paths that a warning names; of others it says how many there are. */
const MAX_NAMED = 5;

/**
 * Lists what is halted: what the engine lists, or else the paths that were named here, as the engine shows them now. Beside them it has the
 * other stops as they are known here.
 */
export class HaltList {
  readonly #options: HaltListOptions;

  constructor(options: HaltListOptions) {
    this.#options = options;
  }

  /** Rejects when the state of the whole system cannot be read; another path that cannot be read is named in a warning. */
  async list(call: Call<CallName>): Promise<Halts> {
    const { link, gate, stops } = this.#options;
    const due = link.due();
    const warnings = await this.#recalled();
    const listed = await this.#listed(call, due, warnings);
    const complete = listed !== undefined && (call.invalid?.rowsLeftOut ?? 0) === 0;
    const found = listed ?? (await this.#readEach(call, due, warnings));
    const halts = await this.#recorded(found, gate.turns(call.principal.name));
    if (stops.uncompared > 0) warnings.push(uncomparedWarning(stops.uncompared));
    if (stops.forgotten > 0) warnings.push(forgottenWarning(stops.forgotten, listed !== undefined));
    if (warnings.length > 0) call.context.onWarning?.(warnings.join("; "));
    const { lost } = stops;
    const others = stops.inForce.filter(({ operation }) => operation !== "haltTrading");
    return { complete, halts, ...(lost.length > 0 && { lost }), ...(others.length > 0 && { stops: others }) };
  }

  /** The engine's own list; undefined where it has none, or failed to make it. */
  async #listed(call: Call<CallName>, due: number, warnings: string[]): Promise<EngineHalt[] | undefined> {
    try {
      return await this.#options.optionalReads.ask(call, "listHalts", due);
    } catch (error) {
      if (AdminError.from(error).code !== "ENGINE_FAILED") throw error;
      warnings.push("The engine failed to list its halts: halts that were not sent through this gateway are missing");
      return undefined;
    }
  }

  /** Waits for earlier records, but not long: there may be hundreds of files. Returns what is to be said. */
  async #recalled(): Promise<string[]> {
    const { clock, recalling } = this.#options;
    try {
      await within(clock, RECALL_MS, recalling() ?? Promise.resolve(), "the audit records are still being read");
      return [];
    } catch (error) {
      if (!(error instanceof TimeoutError)) throw error;
      return ["The audit records are still being read: halts from before the start may be missing from the list"];
    }
  }

  /** Halts at the paths that are known here. */
  async #readEach(call: Call<CallName>, due: number, warnings: string[]): Promise<EngineHalt[]> {
    const unread: string[] = [];
    const whole = await this.#read(call, "", due);
    const others = await inParallel(this.#knownNodes(), WIDTH, async (path) => {
      try {
        return await this.#read(call, path, due);
      } catch (error) {
        if (AdminError.from(error).code !== "NOT_FOUND") unread.push(path);
        return undefined;
      }
    });
    if (unread.length > 0) warnings.push(unreadWarning(unread));
    return [whole, ...others].filter((halt) => halt !== undefined);
  }

  #knownNodes(): string[] {
    const halts = this.#options.stops.all.filter(({ kind }) => kind.stop === "haltTrading");
    const paths = new Set(halts.map(({ target }) => String(target[PATH_FIELD])));
    paths.delete("");
    return [...paths];
  }

  async #read(call: Call<CallName>, projectionPath: string, due: number): Promise<EngineHalt | undefined> {
    const input = { [PATH_FIELD]: projectionPath };
    const state = await this.#options.reads.state(call, "getTradingStatus", input, due);
    const { halted, reason } = state as Output<"getTradingStatus">;
    return halted ? { projectionPath, reason, since: null } : undefined;
  }

  /** The halts by path, the whole system first, with what the records say of them. */
  async #recorded(found: readonly EngineHalt[], turns: Turns): Promise<Halt[]> {
    const halts: Halt[] = [];
    if (turns.isOver()) await turns.next();
    const inOrder = [...found].sort((a, b) => (a.projectionPath < b.projectionPath ? -1 : 1));
    await forEachInTurns(turns, piecesOf(inOrder, AT_A_TIME), (piece) => {
      for (const halt of piece) halts.push(this.#withRecord(halt));
    });
    return halts;
  }

  #withRecord({ projectionPath, reason, since }: EngineHalt): Halt {
    const known = this.#options.stops.find("haltTrading", { [PATH_FIELD]: projectionPath });
    // With another reason it is the halt of somebody else.
    const recorded = [known?.doubted, known?.applied, known?.first].find((stop) => stop && sameReason(stop, reason));
    const isRepeated = known?.first && recorded && recorded !== known.doubted && isSinceFirst(known, since);
    const first = isRepeated ? known.first : undefined;
    const begun = first ?? recorded;
    return {
      projectionPath,
      reason: givenReason(reason) ?? givenReason(first?.reason) ?? reason,
      since: since ?? (begun ? Date.parse(begun.time) : null),
      by: begun?.user ?? null,
      ...(isRepeated && repetitionOf(known)),
    };
  }
}

/** Whether a halt began before the command that repeated it, by the engine's clock: it may have been resumed elsewhere in between. */
function isSinceFirst({ first, applied }: Pick<Stoppable, "first" | "applied">, since: number | null): boolean {
  if (since === null || !first || !applied || first === applied) return true;
  const { time, engineTime = time, durationMs = 0 } = applied;
  return since < Date.parse(engineTime) - durationMs;
}

function uncomparedWarning(count: number): string {
  const stops = count === 1 ? "1 stop is" : `${count} stops are`;
  return `${stops} not checked yet since the engine connected, and may have been forgotten: ask again in a few seconds`;
}

function forgottenWarning(count: number, isListed: boolean): string {
  const stops = count === 1 ? "1 older stop is" : `${count} older stops are`;
  const consequence = isListed ? "" : ", and halts among them are missing from the list";
  return `${stops} no longer known to the gateway, as there are too many: it would not notice if the engine forgot them${consequence}`;
}

/** For a header, which takes neither all characters nor any length. */
function unreadWarning(paths: readonly string[]): string {
  const named = paths.slice(0, MAX_NAMED).map((path) => JSON.stringify(path).replace(/[^ -~]/g, "?"));
  const more = paths.length > named.length ? ` and ${paths.length - named.length} more` : "";
  return `The engine did not show the state of ${named.join(", ")}${more}: halts there are missing from the list`;
}
