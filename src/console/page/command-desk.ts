import type { AdminClient, CallOptions } from "../../client/client.ts";
import { AdminClientError } from "../../client/errors.ts";
import { type ConfirmedOperation, readBefore } from "../../client/shown.ts";
import { requestIds } from "../../core/conventions.ts";
import { doubtAdvice, followProof } from "../../pages/proof.ts";
import type { CommandLine, StatusLine, Verdict } from "../../pages/status-line.ts";
import { failureText, statusWords } from "../../pages/words.ts";
import type { GivenCommand } from "../records.ts";
import { askForCommand, type Question } from "./command-dialog.ts";
import { type PageCommand, pageCommand } from "./commands.ts";
import type { Nodes } from "./nodes.ts";
import { ScopePicker } from "./scope-picker.ts";
import { alreadyHalted } from "./trading-words.ts";

/** A command of this page. */
export interface OwnCommand {
  /** Nothing says that the engine has accepted it. */
  isReplyLost: boolean;
  readonly requestId: string;
  readonly words: string;
  readonly isStop: boolean;
  readonly reason: string | null;
  /** Epoch milliseconds. */
  readonly at: number;
  /** Says what happened to it. */
  readonly line: CommandLine;
}

/** Outcomes of commands that the gateway has learned after their response. */
const LATE: ReadonlySet<GivenCommand["outcome"]> = new Set(["applied late", "rejected late", "state-shown"]);

export function isLearnedLate({ outcome }: GivenCommand): boolean {
  return LATE.has(outcome);
}

/** Asks for commands, sends them, proves them by reading the state, and says what happened to them. */
export class CommandDesk {
  readonly #client: AdminClient;
  readonly #status: StatusLine;
  readonly #nextRequestId = requestIds();
  /** The commands of this page, the latest first. */
  readonly given: OwnCommand[] = [];
  /** Called with every command that may have changed something. */
  onCommand: (command: PageCommand) => void = () => {};
  /** Nodes to choose from. */
  knownNodes: () => readonly string[] = () => [];
  /** The halt of a path that is known to be halted. */
  haltOf: Nodes["haltOf"] = () => undefined;
  /** Says how the thing of a command is before it is sent; empty where that is not to be said. */
  stateBefore: (command: PageCommand) => string = () => "";

  constructor(client: AdminClient, status: StatusLine) {
    this.#client = client;
    this.#status = status;
  }

  /** Asks for one certain command. */
  ask(command: PageCommand): void {
    void this.#run({ command: () => ({ ...command, state: command.state || this.stateBefore(command) }) });
  }

  /** Asks for a halt; `path` is the scope to begin with, undefined for a node that is still to be named. */
  askHalt(path: string | undefined): void {
    const picker = new ScopePicker(path, this.knownNodes());
    void this.#run({
      fields: picker.fields,
      incomplete: "Halt one node",
      command: () => {
        const { path: projectionPath, cancelOrders } = picker;
        if (projectionPath === undefined) return undefined;
        const halt = this.haltOf(projectionPath);
        const command = pageCommand("haltTrading", { projectionPath, ...(cancelOrders && { cancelOrders }) });
        if (!halt) return command;
        return { ...command, state: alreadyHalted(projectionPath, halt) };
      },
    });
  }

  /** Takes over what the gateway has learned of commands whose outcome was unknown: a read proves those that were applied. */
  learn(recorded: readonly GivenCommand[]): void {
    for (const { requestId, outcome, message } of recorded.filter(isLearnedLate)) {
      const own = this.given.find((command) => command.requestId === requestId);
      if (own?.line.verdict.outcome !== "unknown") continue;
      if (outcome !== "rejected late") own.isReplyLost = false;
      else own.line.say({ outcome: "not-applied", text: `${own.words}: not done. ${message ?? ""}`.trimEnd() });
    }
  }

  async #run(question: Question): Promise<void> {
    const confirmed = await askForCommand(question);
    if (!confirmed) return;
    const { command, reason } = confirmed;
    const { operation, words } = command;
    const requestId = this.#nextRequestId();
    // A reason that was left out is for the server to fill in.
    const input = { ...command.input, ...(reason !== "" && { reason }) };
    const line = this.#status.begin({ outcome: "pending", text: `${words}: sent, waiting for the engine.` });
    const isStop = command.typed === undefined;
    const facts = { requestId, words, isStop, reason: reason === "" ? null : reason, at: Date.now() };
    const own: OwnCommand = { ...facts, line, isReplyLost: false };
    this.given.unshift(own);
    const before = await readBefore(this.#client, operation, input);
    const reply = await this.#send(operation, input, requestId).then(() => accepted(command), failed(command));
    line.say(reply);
    if (reply.outcome === "not-applied") return;
    own.isReplyLost = reply.isLost;
    await followProof(this.#client, { operation, input, words, before, isReplyLost: () => own.isReplyLost }, line);
    this.onCommand(command);
  }

  #send(operation: ConfirmedOperation, input: object, requestId: string): Promise<unknown> {
    return (this.#client[operation] as (input: object, options: CallOptions) => Promise<unknown>)(input, { requestId });
  }
}

interface Reply extends Verdict {
  /** It does not say whether the engine has accepted it. */
  readonly isLost: boolean;
}

function accepted({ words }: PageCommand): Reply {
  return { isLost: false, outcome: "pending", text: `${words}: accepted. Reading the state for proof.` };
}

/** The verdict on a command whose response is not a success. */
function failed({ operation, words }: PageCommand): (error: unknown) => Reply {
  return (error) => {
    if (!(error instanceof AdminClientError)) throw error;
    const why = failureText(error);
    // Under this id the logs have the request.
    const request = `${statusWords(error)} Request ${error.requestId}.`.trimStart();
    const isLost = error.outcome === "unknown";
    if (!isLost && error.outcome !== "applied") {
      return { isLost, outcome: "not-applied", text: `${words}: not done. ${why}`, details: request };
    }
    const text = isLost
      ? `it is not known whether it was done. ${doubtAdvice(operation)}`
      : "accepted, do not repeat it.";
    return { isLost, outcome: "unknown", text: `${words}: ${text} Reading the state.`, details: `${why} ${request}` };
  };
}
