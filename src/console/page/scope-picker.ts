import { wildcardAdvice } from "../../client/node-advice.ts";
import { ANY_PROJECTION_KEY, ProjectionSyntaxError, parseProjectionPath } from "../../core/values/projection.ts";
import { element, nextId, setText, suggestions } from "../../pages/dom.ts";

/** Fields that say what to halt: everything, with or without its working orders, or one node. */
export class ScopePicker {
  readonly #all = element("input", { type: "radio", name: "scope" });
  readonly #one = element("input", { type: "radio", name: "scope" });
  readonly #path = element("input", { type: "text", autocomplete: "off", spellcheck: false });
  readonly #cancel = element("input", { type: "checkbox" });
  readonly #problem = element("p", { className: "problem", id: nextId() });
  readonly fields: HTMLFieldSetElement;

  /** `path` is the node to begin with, "" for everything and undefined for a node that is still to be named. */
  constructor(path: string | undefined, known: readonly string[]) {
    this.#all.checked = path === "";
    this.#one.checked = path !== "";
    this.#path.value = path ?? "";
    this.#path.placeholder = "Account[GOLD]";
    this.#path.setAttribute("aria-label", "Node");
    this.#path.setAttribute("aria-describedby", this.#problem.id);
    const list = suggestions(known);
    this.#path.setAttribute("list", list.id);
    // Whoever types a node means that node; on the way to the next field, nothing changes.
    this.#path.oninput = () => {
      this.#one.checked = true;
    };
    this.fields = element("fieldset", {}, [
      element("legend", {}, ["Scope"]),
      element("label", {}, [this.#all, "All trading"]),
      element("label", { className: "inner" }, [this.#cancel, "Cancel all working orders"]),
      element("label", {}, [this.#one, "One node"]),
      this.#path,
      list,
      this.#problem,
    ]);
  }

  /** Whether to cancel working orders. */
  get cancelOrders(): boolean {
    return this.#all.checked && this.#cancel.checked;
  }

  /** Path of the chosen node, "" for everything; undefined while what is typed names none. */
  get path(): string | undefined {
    this.#cancel.disabled = !this.#all.checked;
    if (this.#all.checked) return this.#found("", "");
    const path = this.#path.value.trim();
    if (path === "") return this.#found(undefined, "");
    const problem = pathProblem(path);
    return this.#found(problem === undefined ? path : undefined, problem ?? wildcardAdvice(path) ?? "");
  }

  #found(path: string | undefined, problem: string): string | undefined {
    setText(this.#problem, problem);
    return path;
  }
}

/** Problem of the form of a path; which keys there are is known to the gateway alone. */
export function pathProblem(path: string): string | undefined {
  try {
    parseProjectionPath(path, ANY_PROJECTION_KEY);
    return undefined;
  } catch (error) {
    if (error instanceof ProjectionSyntaxError) return error.message;
    throw error;
  }
}
