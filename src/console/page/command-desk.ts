import type { AdminClient } from "../../client/client.ts";
import { NotConfirmedError } from "../../client/confirmation.ts";
import { AdminClientError } from "../../client/errors.ts";
import { askForCommand, type Confirmed, type Question } from "./command-dialog.ts";
import { halt, type PageCommand } from "./commands.ts";
import { failureText } from "./failure.ts";
import { ScopePicker } from "./scope-picker.ts";
import type { StatusLine } from "./status-line.ts";

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
  async ask(command: PageCommand): Promise<void> {
    await this.#run({ command: () => command });
  }

  /** Asks for a halt; `path` is the scope to begin with, undefined for a node that is still to be named. */
  async askHalt(path: string | undefined): Promise<void> {
    const picker = new ScopePicker(path, this.knownNodes());
    await this.#run({
      fields: picker.fields,
      incomplete: "Halt one node",
      command: () => {
        const chosen = picker.path;
        return chosen === undefined ? undefined : halt(chosen, picker.cancelOrders);
      },
    });
  }

  async #run(question: Question): Promise<void> {
    const confirmed = await askForCommand(question);
    if (!confirmed) return;
    this.#status.command(`${confirmed.command.words}: sent, waiting for the engine.`, "busy");
    if (await this.#sent(confirmed)) await this.#prove(confirmed.command);
  }

  /** Whether the command may have been applied. */
  async #sent({ command, reason }: Confirmed): Promise<boolean> {
    try {
      await command.send(this.#client, reason);
      this.#status.command(`${command.words}: accepted. Reading the state for proof.`, "busy");
    } catch (error) {
      if (!(error instanceof AdminClientError)) throw error;
      return this.#failed(command, error);
    }
    return true;
  }

  /** Says what became of a command whose response is no success, and returns whether it may have been applied. */
  #failed({ words }: PageCommand, error: AdminClientError): boolean {
    const why = failureText(error);
    if (error.outcome === "unknown") {
      this.#status.command(`${words}: it is not known whether it was done. ${why} Reading the state.`, "doubt");
    } else if (error.outcome === "applied") {
      this.#status.command(`${words}: accepted, do not repeat it. ${why} Reading the state for proof.`, "doubt");
    } else {
      this.#status.command(`${words}: not done. ${why} ${idOf(error)}`, "failed");
      return false;
    }
    return true;
  }

  async #prove(command: PageCommand): Promise<void> {
    try {
      this.#status.command(await command.prove(this.#client), "done");
    } catch (error) {
      if (!(error instanceof NotConfirmedError || error instanceof AdminClientError)) throw error;
      const cause = error instanceof NotConfirmedError ? error.cause : error;
      const why = cause instanceof AdminClientError ? failureText(cause) : "The engine does not show it.";
      const text = `${command.words}: no proof yet. ${why} See the state below before you send it again.`;
      this.#status.command(text, "doubt");
    }
    this.onCommand(command);
  }
}

/** Under this id the logs have the request. */
function idOf({ requestId }: AdminClientError): string {
  return `(request ${requestId})`;
}
