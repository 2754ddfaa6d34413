import type { AdminClient, CallOptions } from "../../client/client.ts";
import { AdminClientError, DeniedError } from "../../client/errors.ts";
import { type ConfirmedOperation, readBefore, requestsCancels } from "../../client/shown.ts";
import { requestIds } from "../../core/conventions.ts";
import { awaitedUntil, waitsWords } from "../../core/records/second-person.ts";
import { doubtAdvice, followProof, isLastingStop, withRemainder } from "../../pages/proof.ts";
import type { Again, CommandLine, StatusLine, Verdict } from "../../pages/status-line.ts";
import { failureText, plainFailure, sentence, statusWords, utc } from "../../pages/words.ts";
import type { GivenCommand } from "../records.ts";
import { askForCommand, type Question } from "./command-dialog.ts";
import { isStop, type PageCommand, pageCommand } from "./commands.ts";
import { ScopePicker } from "./scope-picker.ts";

/** A command of this page. */
export interface OwnCommand {
  /** Nothing says that the engine has accepted it. */
  isReplyLost: boolean;
  readonly command: PageCommand;
  readonly requestId: string;
  readonly reason: string | null;
  /** Epoch milliseconds. */
  readonly at: number;
  /** Says what happened to it. */
  readonly line: CommandLine;
}

/** What the page knows of things that commands are for. A text is empty where there is nothing to say. */
export interface CommandPage {
  /** Name of the user; null while it is not known. */
  userName(): string | null;
  /** Nodes to choose from. */
  knownNodes(): readonly string[];
  /** Says who does not answer, and what happens to a command then. */
  away(): string;
  /** Says how the thing of a command is before it is sent. */
  stateBefore(command: PageCommand): string;
  /** Says who has asked for a command that waits for a second person. */
  awaitedWords(command: PageCommand): string;
  /** Says what a proven command leaves stopped. */
  remainder(command: PageCommand): Promise<string>;
  /** Says that a proven stop may not be the one that was meant. The proof does not wait for it. */
  mistake(command: PageCommand): Promise<string>;
  /** Reads the gateway's records, which the desk then learns of. */
  readRecords(): Promise<void>;
  /** Reads what a command may have changed. */
  readChanged(command: PageCommand): Promise<void>;
}

/** Asks for commands, sends them, proves them by reading the state, and says what happened to them. */
export class CommandDesk {
  readonly #client: AdminClient;
  readonly #status: StatusLine;
  readonly #page: CommandPage;
  readonly #nextRequestId = requestIds();
  /** The commands of this page, the latest first. */
  readonly given: OwnCommand[] = [];

  constructor(client: AdminClient, status: StatusLine, page: CommandPage) {
    this.#client = client;
    this.#status = status;
    this.#page = page;
  }

  /** Asks for one certain command. */
  ask(command: PageCommand): void {
    if (!isStop(command)) void this.#page.readRecords();
    void this.#run({
      away: () => this.#page.away(),
      awaited: () => this.#page.awaitedWords(command),
      command: () => ({ ...command, state: command.state || this.#page.stateBefore(command) }),
    });
  }

  /** Asks for a halt; `path` is the scope to begin with, undefined for a node that is still to be named. */
  askHalt(path: string | undefined): void {
    const picker = new ScopePicker(path, this.#page.knownNodes());
    void this.#run({
      fields: picker.fields,
      away: () => this.#page.away(),
      incomplete: "Halt one node",
      command: () => {
        const { path: projectionPath, cancelOrders } = picker;
        if (projectionPath === undefined) return undefined;
        const command = pageCommand("haltTrading", { projectionPath, ...(cancelOrders && { cancelOrders }) });
        return { ...command, state: this.#page.stateBefore(command) };
      },
    });
  }

  /** The command of this page that a record is of. Callers choose the ids of requests: another's may have the same. */
  ownOf({ requestId, words, by }: GivenCommand): OwnCommand | undefined {
    if (by !== this.#page.userName()) return undefined;
    return this.given.find((own) => own.requestId === requestId && own.command.words === words);
  }

  /** Takes over what the gateway has learned of commands that are not settled here. */
  learn(recorded: readonly GivenCommand[]): void {
    for (const own of this.given) {
      const { outcome } = own.line.verdict;
      if (outcome === "awaited") {
        const approval = recorded.find((record) => this.#approves(record, own));
        if (approval) sayApproved(own, approval);
      } else if (outcome === "unknown") {
        const record = recorded.find((candidate) => this.ownOf(candidate) === own);
        if (record) settle(own, record);
      }
    }
  }

  #approves({ approves, words }: GivenCommand, { requestId, command }: OwnCommand): boolean {
    return (
      approves?.requestId === requestId && approves.requestedBy === this.#page.userName() && words === command.words
    );
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
    const facts = { command, requestId, reason: reason === "" ? null : reason, at: Date.now() };
    const own: OwnCommand = { ...facts, line, isReplyLost: false };
    this.given.unshift(own);
    const before = await readBefore(this.#client, operation, input);
    // Asked for again, the dialog begins with what was chosen and typed in it.
    const again = { label: `${words.replace(/ .*/, "")} again`, open: () => void this.#run({ ...question, reason }) };
    const reply = await this.#send(operation, input, requestId).then(() => accepted(command), failed(command, again));
    line.say(reply);
    if (reply.outcome === "awaited") void this.#page.readRecords();
    if (reply.outcome === "not-applied" || reply.outcome === "awaited") return;
    own.isReplyLost = reply.isLost;
    const sent = {
      operation,
      input,
      words,
      before,
      isReplyLost: () => own.isReplyLost,
      askGateway: () => this.#page.readRecords(),
    };
    await followProof(this.#client, { ...sent, remainder: () => this.#page.remainder(command) }, line);
    void this.#page.readChanged(command);
    const mistake = line.verdict.outcome === "proven" ? await this.#page.mistake(command) : "";
    line.say(withRemainder(line.verdict, mistake));
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
function failed(command: PageCommand, again: Again): (error: unknown) => Reply {
  const { operation, words } = command;
  return (error) => {
    if (!(error instanceof AdminClientError)) throw error;
    // Under this id the logs have the request.
    const request = `Request ${error.requestId}.`;
    const isLost = error.outcome === "unknown";
    const until = awaitedUntil(error.reason);
    if (until !== undefined) return { isLost, ...waiting(command, until), details: `${failureText(error)} ${request}` };
    if (!isLost && error.outcome !== "applied") {
      const { text, details } = plainFailure(error);
      const isDenied = error instanceof DeniedError;
      const verdict = notDone(command, text, nextStep(error));
      const causes = { details: `${details} ${request}`.trimStart(), briefly: failureText(error) };
      return { isLost, ...verdict, ...causes, ...(isStop(command) && !isDenied && { again }) };
    }
    const text = isLost
      ? `it is not known whether it was done. ${doubtAdvice(operation)}`
      : "accepted, do not repeat it.";
    const doubt = { outcome: "unknown", text: `${words}: ${text} Reading the state.` } as const;
    const details = [failureText(error), statusWords(error), request].filter(Boolean).join(" ");
    return { isLost, ...doubt, details, ...(isLost && isLastingStop(operation) && { again }) };
  };
}

function nextStep(error: AdminClientError): string {
  if (error instanceof DeniedError) return "somebody who may must send it";
  return error.status === 400 ? "correct it and send it again" : "send it again";
}

/** Nothing failed: the command is there for somebody else to send. */
function waiting({ words }: PageCommand, until: number): Verdict {
  const next = "Nothing was sent yet: another user must send the same command.";
  return { outcome: "awaited", text: `${words}: ${waitsWords(until, Date.now())}. ${next}` };
}

/** Says of a command that waited for a second person who has sent it. */
function sayApproved({ command, line }: OwnCommand, sent: GivenCommand): void {
  if (!ACCEPTED.has(sent.outcome)) return;
  line.say({ outcome: "applied", text: `${command.words}: sent by ${sent.by} at ${utc(sent.at)}, and accepted.` });
}

/** Takes over what the gateway has recorded of a command that is in doubt. */
function settle(own: OwnCommand, record: GivenCommand): void {
  if (ACCEPTED.has(record.outcome)) own.isReplyLost = false;
  const verdict = recordedVerdict(own.command, record);
  if (verdict) own.line.say(verdict);
}

/** Of a stop it says what is to be done instead. */
function notDone(command: PageCommand, why: string, next: string): Verdict {
  const missed = isStop(command) ? `Nothing was stopped: ${next}, otherwise stop it at the engine.` : "";
  return { outcome: "not-applied", text: [`${command.words}: not done.`, why, missed].filter(Boolean).join(" ") };
}

/** Outcomes of commands that the gateway has learned after their response. */
const LATE: ReadonlySet<GivenCommand["outcome"]> = new Set(["applied late", "rejected late", "state-shown"]);
/** Outcomes of commands that the engine has accepted. */
const ACCEPTED: ReadonlySet<GivenCommand["outcome"]> = new Set(["applied", "applied late", "state-shown"]);
/** Outcomes of commands that changed nothing. */
const REFUSED: ReadonlySet<GivenCommand["outcome"]> = new Set([
  "rejected late",
  "rejected",
  "denied",
  "invalid",
  "not-sent",
]);

export function isLearnedLate({ outcome }: GivenCommand): boolean {
  return LATE.has(outcome);
}

/** The verdict on a command in doubt by what the gateway has recorded; undefined where only a read tells, as of cancels. */
function recordedVerdict(command: PageCommand, { outcome, message }: GivenCommand): Verdict | undefined {
  const { operation, input, words } = command;
  if (REFUSED.has(outcome)) return notDone(command, message === null ? "" : sentence(message), "send it again");
  if (requestsCancels(operation, { ...input })) return undefined;
  if (outcome === "state-shown") {
    return { outcome: "proven", text: `${words}: done. The gateway has read since that the engine shows it.` };
  }
  if (outcome !== "applied late") return undefined;
  return { outcome: "applied", text: `${words}: applied late. The gateway has had the engine's reply since.` };
}
