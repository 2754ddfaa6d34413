import { BACK, element, installation, nextId, setBreakable, setText } from "../../pages/dom.ts";
import { isStop, type PageCommand } from "./commands.ts";

/** Content of the dialog before a command is sent. */
export interface Question {
  /** Further fields, such as the scope of a halt; their `input` events bubble. */
  readonly fields?: HTMLElement;
  /** The command as the fields say now; undefined while they do not say one. */
  command(): PageCommand | undefined;
  /** Words of the button while there is none. */
  readonly incomplete?: string;
  /** The reason to begin with. */
  readonly reason?: string;
  /** Who does not answer, and what happens to a command then; empty while all do. */
  away(): string;
  /** Who has asked for a command that waits for a second person; empty where nobody has. */
  awaited?(): string;
}

/** A command that the operator wants to be sent. */
export interface Confirmed {
  readonly command: PageCommand;
  readonly reason: string;
}

const SECOND_MS = 1_000;
/** Longest reason that the API takes. */
const MAX_CHARACTERS = 1_024;
/** A field that has the focus brings up a keyboard there, which would cover the button that sends. */
const TOUCH = matchMedia("(pointer: coarse)");

/** Asks whether to send a command: resolves with undefined when it was cancelled. */
export function askForCommand(question: Question): Promise<Confirmed | undefined> {
  const dialog = new CommandDialog(question);
  return dialog.open();
}

function isField(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement;
}

class CommandDialog {
  readonly #question: Question;
  readonly #heading = element("h2", { id: nextId() });
  readonly #away = element("p", { className: "away", id: nextId() });
  readonly #awaited = element("p", { className: "awaited", id: nextId() });
  readonly #state = element("p", { className: "now", id: nextId() });
  readonly #consequence = element("p", { className: "consequence", id: nextId() });
  readonly #reason = element("input", { type: "text", maxLength: MAX_CHARACTERS, autocomplete: "off" });
  readonly #reasonField = element("label", { className: "field" }, [
    "Reason for the audit log, optional",
    this.#reason,
  ]);
  readonly #word = element("strong");
  readonly #typed = element("input", { type: "text", autocomplete: "off", spellcheck: false });
  /** Why Enter has sent nothing. */
  readonly #missing = element("span", { className: "missing", id: nextId(), role: "alert" });
  readonly #typedField: HTMLElement;
  readonly #send = element("button", { type: "submit" });
  readonly #dialog: HTMLDialogElement;

  constructor(question: Question) {
    this.#question = question;
    this.#reason.value = question.reason ?? "";
    const prompt = element("span", {}, ["Type ", this.#word, " to confirm"]);
    this.#typed.setAttribute("aria-describedby", this.#missing.id);
    const label = element("label", { className: "field" }, [prompt, this.#typed]);
    this.#typedField = element("div", {}, [label, this.#missing]);
    const back = element("button", { type: "button" }, [BACK]);
    const buttons = element("div", { className: "buttons" }, [back, this.#send]);
    const fields = question.fields ? [question.fields] : [];
    const whose = installation();
    const content = [
      ...whose,
      this.#heading,
      this.#away,
      this.#awaited,
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
    const described = [...whose, this.#away, this.#awaited, this.#state, this.#consequence];
    this.#dialog.setAttribute("aria-describedby", described.map(({ id }) => id).join(" "));
    back.onclick = () => this.#dialog.close();
    form.oninput = () => {
      setText(this.#missing, "");
      this.#update();
    };
    form.onkeydown = (event) => {
      // The browser sends nothing while the word is missing, and would not say why.
      if (event.key !== "Enter" || this.#typedField.hidden || this.#isReady() || !isField(event.target)) return;
      event.preventDefault();
      setText(this.#missing, "Nothing was sent: the word is missing here.");
    };
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
    // Who reads it for long reads how it is now.
    const timer = setInterval(() => this.#update(), SECOND_MS);
    return new Promise((resolve) => {
      this.#dialog.onclose = () => {
        clearInterval(timer);
        const command = this.#question.command();
        this.#dialog.remove();
        resolve(
          this.#dialog.returnValue === "send" && command ? { command, reason: this.#reason.value.trim() } : undefined,
        );
      };
    });
  }

  /** The first field that is still to be filled; Enter sends a stop from there, too, but what is typed sends nothing. */
  #firstField(): HTMLElement {
    const command = this.#question.command();
    if (!command) return this.#question.fields?.querySelector<HTMLElement>("input[type=text]") ?? this.#send;
    if (isStop(command) && (TOUCH.matches || !command.takesReason)) return this.#send;
    return command.takesReason ? this.#reason : this.#typed;
  }

  #update(): void {
    const command = this.#question.command();
    const words = command?.words ?? this.#question.incomplete ?? "";
    setBreakable(this.#heading, words);
    setBreakable(this.#send, words);
    setText(this.#away, this.#question.away());
    setBreakable(this.#awaited, this.#question.awaited?.() ?? "");
    setBreakable(this.#state, command?.state ?? "");
    setText(this.#consequence, command?.consequence ?? "");
    setText(this.#word, command?.typed ?? "");
    this.#reasonField.hidden = command?.takesReason === false;
    this.#typedField.hidden = command?.typed === undefined;
    this.#send.className = command === undefined || isStop(command) ? "stop" : "change";
    this.#send.disabled = !this.#isReady();
  }

  #isReady(): boolean {
    const command = this.#question.command();
    const typed = this.#typed.value.trim().replace(/\s+/g, " ").toUpperCase();
    return command !== undefined && (command.typed ?? "") === typed;
  }
}
