import assert from "node:assert/strict";
import type { OperationName } from "../../core/operations/table.ts";
import { NotApplicable } from "./applicable.ts";

/**
 * Which operations the engine under test has: those that are declared, or else those that it names in its description, or else all that it does
 * not refuse as unsupported.
 */
export class Offer {
  #declared: ReadonlySet<string> | undefined;
  #isDescribed = false;
  readonly #missing = new Set<OperationName>();

  constructor(declared: readonly OperationName[] | undefined) {
    this.#declared = declared && new Set(declared);
  }

  /** Takes the operations of a description for those that are declared, unless some are. */
  async learn(describe: () => Promise<readonly string[]>): Promise<void> {
    if (this.#declared || this.#isDescribed) return;
    this.#isDescribed = true;
    try {
      this.#declared = new Set(await describe());
    } catch {
      // There is none, or a wrong one: another case says what is wrong with it.
    }
  }

  /** Throws {@link NotApplicable} for an operation that the engine is known not to have. */
  check(name: OperationName): void {
    const isMissing = this.#declared ? !this.#declared.has(name) : this.#missing.has(name);
    if (isMissing) throw new NotApplicable(`no ${name}`);
  }

  /** The engine refused an operation as unsupported: a fault where it is declared, else it does not have it. */
  unsupported(name: OperationName, message: string): never {
    assert.ok(!this.#declared, `${name} is declared, but the engine refuses it as unsupported: ${message}`);
    this.#missing.add(name);
    throw new NotApplicable(`no ${name}`);
  }
}
