import { AdminError } from "../errors.ts";
import type { Gate } from "../load/gate.ts";
import type { PolicyCheck } from "../policy/policy-check.ts";
import { recordedInput } from "../records/audit-trail.ts";
import type { Refusals } from "../records/refusals.ts";
import type { UnknownFields } from "../validation/input-size.ts";
import type { ValidInput } from "../validation/valid-input.ts";
import { type Fields, isObject } from "../values/basics.ts";
import type { Call, InputSource } from "./call.ts";
import { checkedInput, checkPermission } from "./checks.ts";

export interface AdmissionOptions {
  readonly refusals: Refusals;
  readonly gate: Gate;
  readonly unknownFields: UnknownFields;
  readonly policy: PolicyCheck | undefined;
}

/** Decides whether a mutation may be sent: permission, input, policy. Refusals are recorded (decision D-LOG 8). */
export class Admission {
  readonly #options: AdmissionOptions;
  /** Whether mutations have to pass {@link checkPolicy}. */
  readonly hasPolicy: boolean;

  constructor(options: AdmissionOptions) {
    this.#options = options;
    this.hasPolicy = options.policy !== undefined;
  }

  /** Checks the permission, then reads and checks the input. */
  async checkInput(call: Call, source: InputSource): Promise<ValidInput> {
    let input = source.known;
    try {
      checkPermission(call);
      const raw = await source.read();
      if (isObject(raw)) input = raw;
      const { gate, unknownFields } = this.#options;
      return await gate.begin(call.principal.name, checkedInput(call, raw, unknownFields));
    } catch (thrown) {
      return this.#refused(call, input, false, thrown);
    }
  }

  /** Asks the policy about a valid input; the reply to the mutation is due by `deadline`, epoch milliseconds. */
  async checkPolicy(call: Call, input: Fields, deadline: number): Promise<void> {
    try {
      await this.#options.policy?.admit(call, input, deadline);
    } catch (thrown) {
      await this.#refused(call, input, true, thrown);
    }
  }

  async #refused(call: Call, input: Fields, isValid: boolean, thrown: unknown): Promise<never> {
    const { outcome, status, message } = AdminError.from(thrown);
    const { gate, refusals } = this.#options;
    await refusals.add(call, outcome, async () => {
      const recorded = await gate.begin(call.principal.name, recordedInput(input, isValid));
      return { ...recorded, status, message };
    });
    throw thrown;
  }
}
