import type { AdminClient } from "../../client/client.ts";
import { AdminClientError } from "../../client/errors.ts";
import { failureText } from "../../pages/failure.ts";
import { readProof, stateBefore, type Verdict } from "../../pages/proof.ts";
import type { StatusLine } from "../../pages/status-line.ts";
import { askForCommand, type Confirmed, type Question } from "./command-dialog.ts";
import { type PageCommand, pageCommand } from "./commands.ts";
import { ScopePicker } from "./scope-picker.ts";

/** Asks for commands, sends them, proves them by reading the state, and says what became of them. */
export class CommandDesk {
  readonly #client: AdminClient;
  readonly #status: StatusLine;
  /** Called with every command that may have changed something. */
  onCommand: (command: PageCommand) => void = () => {};
  /** Nodes to choose from. */
  knownNodes: () => readonly string[] = () => [];

  constructor(client: AdminClient, status: StatusLine) {
    this.#client = client;
    this.#status = status;
  }

  /** Asks for one certain command. */
  ask(command: PageCommand): void {
    void this.#run({ command: () => command }, stateBefore(this.#client, command.operation, command.input));
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
        return pageCommand("haltTrading", { projectionPath, ...(cancelOrders && { cancelOrders }) });
      },
    });
  }

  async #run(question: Question, before?: ReturnType<typeof stateBefore>): Promise<void> {
    const confirmed = await askForCommand(question);
    if (!confirmed) return;
    const { command } = confirmed;
    this.#status.command(`${command.words}: sent, waiting for the engine.`, "busy");
    const sent = await this.#send(confirmed).then(() => accepted(command), failed(command));
    this.#status.command(sent.text, sent.tone);
    if (sent.tone === "failed") return;
    const { text, tone } = await readProof(this.#client, command, await before);
    this.#status.command(text, tone);
    this.onCommand(command);
  }

  #send({ command: { operation, input }, reason }: Confirmed): Promise<unknown> {
    const method = this.#client[operation] as (input: object) => Promise<unknown>;
    // A reason that was left out is for the server to fill in.
    return method({ ...input, ...(reason !== "" && { reason }) });
  }
}

function accepted({ words }: PageCommand): Verdict {
  return { tone: "busy", text: `${words}: accepted. Reading the state for proof.` };
}

/** What became of a command whose response is no success. */
function failed({ words }: PageCommand): (error: unknown) => Verdict {
  return (error) => {
    if (!(error instanceof AdminClientError)) throw error;
    const why = failureText(error);
    if (error.outcome === "unknown") {
      return { tone: "doubt", text: `${words}: it is not known whether it was done. ${why} Reading the state.` };
    }
    if (error.outcome === "applied") {
      return { tone: "doubt", text: `${words}: accepted, do not repeat it. ${why} Reading the state for proof.` };
    }
    // Under this id the logs have the request.
    return { tone: "failed", text: `${words}: not done. ${why} (request ${error.requestId})` };
  };
}
