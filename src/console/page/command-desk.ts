import type { AdminClient, CallOptions } from "../../client/client.ts";
import { AdminClientError, DeniedError } from "../../client/errors.ts";
import { type ConfirmedOperation, readBefore, requestsCancels } from "../../client/shown.ts";
import { requestIds } from "../../core/conventions.ts";
import { awaitedUntil, waitsWords } from "../../core/records/second-person.ts";
import { doubtAdvice, followProof, isLastingStop } from "../../pages/proof.ts";
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

/** Asks for commands, sends them, proves them by reading the state, and says what happened to them. */
export class CommandDesk {
  readonly #client: AdminClient;
  readonly #status: StatusLine;
  readonly #nextRequestId = requestIds();
  /** The commands of this page, the latest first. */
  readonly given: OwnCommand[] = [];
  /** Called with every command that may have changed something. */
  onCommand: (command: PageCommand) => void = () => {};
  /** Reads the gateway's records, which this desk then learns of. */
  readRecords: () => Promise<void> = async () => {};
  /** Nodes to choose from. */
  knownNodes: () => readonly string[] = () => [];
  /** Says how the thing of a command is before it is sent; empty where that is not to be said. */
  stateBefore: (command: PageCommand) => string = () => "";
  /** Says what a proven command leaves stopped; empty where it leaves nothing, or its proof says all. */
  remainder: (command: PageCommand) => Promise<string> = async () => "";
  /** Says that a proven stop may not be the one that was meant; empty where nothing says so. The proof does not wait for it. */
  mistake: (command: PageCommand) => Promise<string> = async () => "";
  /** Name of the user of this page. */
  userName: () => string | null = () => null;
  /** Says who has asked for a command that waits for a second person; empty where nobody has. */
  awaitedWords: (command: PageCommand) => string = () => "";
  /** Says who does not answer, and what happens to a command then; empty while all do. */
  away: () => string = () => "";

  constructor(client: AdminClient, status: StatusLine) {
    this.#client = client;
    this.#status = status;
  }

  /** Asks for one certain command. */
  ask(command: PageCommand): void {
    if (!isStop(command)) void this.readRecords();
    void this.#run({
      away: this.away,
      awaited: () => this.awaitedWords(command),
      command: () => ({ ...command, state: command.state || this.stateBefore(command) }),
    });
  }

  /** Asks for a halt; `path` is the scope to begin with, undefined for a node that is still to be named. */
  askHalt(path: string | undefined): void {
    const picker = new ScopePicker(path, this.knownNodes());
    void this.#run({
      fields: picker.fields,
      away: this.away,
      incomplete: "Halt one node",
      command: () => {
        const { path: projectionPath, cancelOrders } = picker;
        if (projectionPath === undefined) return undefined;
        const command = pageCommand("haltTrading", { projectionPath, ...(cancelOrders && { cancelOrders }) });
        return { ...command, state: this.stateBefore(command) };
      },
    });
  }

  /** The command of this page that a record is of. Callers choose the ids of requests: another's may have the same. */
  ownOf({ requestId, words, by }: GivenCommand): OwnCommand | undefined {
    if (by !== this.userName()) return undefined;
    return this.given.find((own) => own.requestId === requestId && own.command.words === words);
  }

  /** Takes over what the gateway has learned of commands that are in doubt here. */
  learn(recorded: readonly GivenCommand[]): void {
    for (const own of this.given)
      if (own.line.verdict.outcome === "awaited")
        sayApproved(
          own,
          recorded.find((record) => this.#approves(record, own)),
        );
    for (const record of recorded) {
      const own = this.ownOf(record);
      if (own?.line.verdict.outcome !== "unknown") continue;
      if (ACCEPTED.has(record.outcome)) own.isReplyLost = false;
      const verdict = recordedVerdict(own.command, record);
      if (verdict) own.line.say(verdict);
    }
  }

  #approves({ approves, words }: GivenCommand, { requestId, command }: OwnCommand): boolean {
    return approves?.requestId === requestId && approves.requestedBy === this.userName() && words === command.words;
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
    if (reply.outcome === "awaited") void this.readRecords();
    if (reply.outcome === "not-applied" || reply.outcome === "awaited") return;
    own.isReplyLost = reply.isLost;
    const sent = { operation, input, words, before, isReplyLost: () => own.isReplyLost, askGateway: this.readRecords };
    await followProof(this.#client, { ...sent, remainder: () => this.remainder(command) }, line);
    this.onCommand(command);
    const { verdict } = line;
    const mistake = verdict.outcome === "proven" ? await this.mistake(command) : "";
    if (mistake !== "") line.say({ ...verdict, isPartial: true, text: `${mistake} ${verdict.briefly}` });
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
function sayApproved({ command, line }: OwnCommand, sent: GivenCommand | undefined): void {
  if (!sent || !ACCEPTED.has(sent.outcome)) return;
  line.say({ outcome: "applied", text: `${command.words}: sent by ${sent.by} at ${utc(sent.at)}, and accepted.` });
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
