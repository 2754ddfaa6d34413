import type { OperationName, Output } from "../../core/operations/table.ts";
import type { PageUser } from "../../http/documents.ts";
import { element } from "../../pages/dom.ts";
import type { StatusLine } from "../../pages/status-line.ts";
import type { Reading } from "./reading.ts";

/** Description of the engine by itself; undefined of one that has none. */
export type EngineReading = Reading<Output<"describeEngine"> | undefined>;

/**
 * What the user may do and the engine can do, as the gateway said last. What is not known yet is not forbidden: the gateway and the engine
 * decide.
 */
export class Access {
  readonly #user: Reading<PageUser>;
  readonly #engine: EngineReading;
  readonly #status: StatusLine;

  constructor(user: Reading<PageUser>, engine: EngineReading, status: StatusLine) {
    this.#user = user;
    this.#engine = engine;
    this.#status = status;
  }

  /** Name of the user; null while it is not known. */
  get userName(): string | null {
    return this.#user.value?.name ?? null;
  }

  /** Why an operation is not offered; undefined when it is. */
  #refusal(operation: OperationName): string | undefined {
    const operations = this.#engine.value?.operations;
    if (operations && !operations.includes(operation)) return `the engine does not support ${operation}`;
    const permission = this.#user.value?.denied[operation];
    return permission === undefined ? undefined : `you lack the permission ${permission}`;
  }

  /** Projections that the engine has for a part of the page; undefined where it does not say. */
  projectionsOf(part: "positions" | "risk"): readonly string[] | undefined {
    const { positionProjections, riskTables } = this.#engine.value ?? {};
    return part === "positions" ? positionProjections : riskTables?.map(({ projection }) => projection);
  }

  /** Why the user may not call an operation; empty when they may. */
  note(operation: OperationName, what: string): string {
    const refusal = this.#refusal(operation);
    return refusal === undefined ? "" : `You may not ${what}: ${refusal}.`;
  }

  /** Marks a button whose operation is not offered; it stays reachable, and says why. */
  mark(button: HTMLButtonElement, operation: OperationName): void {
    const refusal = this.#refusal(operation) ?? "";
    button.title = refusal.charAt(0).toUpperCase() + refusal.slice(1);
    button.setAttribute("aria-disabled", String(refusal !== ""));
  }

  /** A button for a command of this operation. */
  button(label: string, operation: OperationName, open: () => void): HTMLButtonElement {
    const button = element("button", { type: "button" }, [label]);
    this.guard(button, operation, open);
    return button;
  }

  /** Makes a button open something, unless its operation is not offered. */
  guard(button: HTMLButtonElement, operation: OperationName, open: () => void): void {
    this.mark(button, operation);
    button.onclick = () => {
      const refusal = this.#refusal(operation);
      if (refusal === undefined) open();
      else this.#status.begin({ outcome: "not-applied", text: `Nothing was sent: ${refusal}.` });
    };
  }
}
