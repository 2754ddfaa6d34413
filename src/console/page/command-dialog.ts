import { element, installation, nextId, setBreakable, setText } from "../../pages/dom.ts";
import type { PageCommand } from "./commands.ts";

/** Content of the dialog before a command is sent. */
export interface Question {
  /** Further fields, such as the scope of a halt; their `input` events bubble. */
  readonly fields?: HTMLElement;
  /** The command as the fields say now; undefined while they do not say one. */
  command(): PageCommand | undefined;
  /** Words of the button while there is none. */
  readonly incomplete?: string;
}

/** A command that the operator wants to be sent. */
export interface Confirmed {
  readonly command: PageCommand;
  readonly reason: string;
}

/** Longest reason that the API takes. */
const MAX_CHARACTERS = 1_024;
/** A field that has the focus brings up a keyboard there, which would cover the button that sends. */
const TOUCH = matchMedia("(pointer: coarse)");

/** Asks whether to send a command: resolves with undefined when it was cancelled. */
export function askForCommand(question: Question): Promise<Confirmed | undefined> {
  const dialog = new CommandDialog(question);
  return dialog.open();
}

class CommandDialog {
  readonly #question: Question;
  readonly #heading = element("h2", { id: nextId() });
  readonly #state = element("p", { className: "now", id: nextId() });
  readonly #consequence = element("p", { className: "consequence", id: nextId() });
  readonly #reason = element("input", { type: "text", maxLength: MAX_CHARACTERS, autocomplete: "off" });
  readonly #reasonField = element("label", { className: "field" }, [
    "Reason for the audit log, optional",
    this.#reason,
  ]);
  readonly #word = element("strong");
  readonly #typed = element("input", { type: "text", autocomplete: "off", spellcheck: false });
  readonly #typedField: HTMLElement;
  readonly #send = element("button", { type: "submit" });
  readonly #dialog: HTMLDialogElement;

  constructor(question: Question) {
    this.#question = question;
    const prompt = element("span", {}, ["Type ", this.#word, " to confirm"]);
    this.#typedField = element("label", { className: "field" }, [prompt, this.#typed]);
    const cancel = element("button", { type: "button" }, ["Cancel"]);
    const buttons = element("div", { className: "buttons" }, [cancel, this.#send]);
    const fields = question.fields ? [question.fields] : [];
    const whose = installation();
    const content = [
      ...whose,
      this.#heading,
      ...fields,
      this.#state,
      this.#consequence,
      this.#reasonField,
      this.#typedField,
      buttons,
    ];
    const form = element("form", { noValidate: true }, content);
    this.#dialog = element("dialog", { className: "question" }, [form]);
    this.#dialog.setAttribute("aria-labelledby", this.#heading.id);
    const described = [...whose, this.#state, this.#consequence];
    this.#dialog.setAttribute("aria-describedby", described.map(({ id }) => id).join(" "));
    cancel.onclick = () => this.#dialog.close();
    form.oninput = () => this.#update();
    form.onsubmit = (event) => {
      event.preventDefault();
      if (this.#isReady()) this.#dialog.close("send");
    };
  }

  open(): Promise<Confirmed | undefined> {
    this.#update();
    document.body.append(this.#dialog);
    this.#dialog.showModal();
    this.#firstField().focus();
    return new Promise((resolve) => {
      this.#dialog.onclose = () => {
        const command = this.#question.command();
        this.#dialog.remove();
        resolve(
          this.#dialog.returnValue === "send" && command ? { command, reason: this.#reason.value.trim() } : undefined,
        );
      };
    });
  }

  /** Enter sends a stop from its reason, too, but what is typed there sends nothing; a start asks for a word first. */
  #firstField(): HTMLElement {
    const command = this.#question.command();
    if (!command) return this.#question.fields?.querySelector<HTMLElement>("input[type=text]") ?? this.#send;
    if (command.typed !== undefined) return this.#typed;
    return command.takesReason && !TOUCH.matches ? this.#reason : this.#send;
  }

  #update(): void {
    const command = this.#question.command();
    const words = command?.words ?? this.#question.incomplete ?? "";
    setBreakable(this.#heading, words);
    setBreakable(this.#send, words);
    setBreakable(this.#state, command?.state ?? "");
    setText(this.#consequence, command?.consequence ?? "");
    setText(this.#word, command?.typed ?? "");
    this.#reasonField.hidden = command?.takesReason === false;
    this.#typedField.hidden = command?.typed === undefined;
    this.#send.className = command?.typed === undefined ? "stop" : "change";
    this.#send.disabled = !this.#isReady();
  }

  #isReady(): boolean {
    const command = this.#question.command();
    return command !== undefined && (command.typed ?? "") === this.#typed.value.trim().toUpperCase();
  }
}
