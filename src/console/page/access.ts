import type { OperationName } from "../../core/operations/table.ts";
import type { PageUser } from "../../http/user-document.ts";
import { element } from "../../pages/dom.ts";
import type { StatusLine } from "../../pages/status-line.ts";
import type { Reading } from "./reading.ts";

/** What the user may do, as the gateway said last. What is not known yet is not forbidden: the gateway decides. */
export class Access {
  readonly #user: Reading<PageUser>;
  readonly #status: StatusLine;

  constructor(user: Reading<PageUser>, status: StatusLine) {
    this.#user = user;
    this.#status = status;
  }

  /** Name of the user; null while it is not known. */
  get userName(): string | null {
    return this.#user.value?.name ?? null;
  }

  /** The permission that the user lacks for an operation. */
  missing(operation: OperationName): string | undefined {
    return this.#user.value?.denied[operation];
  }

  /** Why the user may not call an operation; empty when they may. */
  note(operation: OperationName, what: string): string {
    const permission = this.missing(operation);
    return permission === undefined ? "" : `You may not ${what}: you lack the permission ${permission}.`;
  }

  /** Marks a button whose operation the user may not call; it stays reachable, and says why. */
  mark(button: HTMLButtonElement, operation: OperationName): void {
    const permission = this.missing(operation);
    button.title = permission === undefined ? "" : `You lack the permission ${permission}`;
    button.setAttribute("aria-disabled", String(permission !== undefined));
  }

  /** A button for a command of this operation. */
  button(label: string, operation: OperationName, open: () => void): HTMLButtonElement {
    const button = element("button", { type: "button" }, [label]);
    this.guard(button, operation, open);
    return button;
  }

  /** Makes a button open something, unless the user lacks the permission. */
  guard(button: HTMLButtonElement, operation: OperationName, open: () => void): void {
    this.mark(button, operation);
    button.onclick = () => {
      const permission = this.missing(operation);
      if (permission === undefined) open();
      else this.#status.begin({ tone: "failed", text: `Nothing was sent: you lack the permission ${permission}.` });
    };
  }
}
