import { AdminError } from "../errors.ts";
import type { PolicyCheck } from "../policy/policy-check.ts";
import { recordedInput } from "../records/audit-trail.ts";
import type { Refusals } from "../records/refusals.ts";
import type { UnknownFields } from "../validation/input-size.ts";
import { ValidInput, validInput } from "../validation/valid-input.ts";
import { isObject } from "../values/basics.ts";
import type { Call, InputSource } from "./call.ts";

type Fields = Readonly<Record<string, unknown>>;

export interface AdmissionOptions {
  readonly refusals: Refusals;
  readonly unknownFields: UnknownFields;
  readonly policy: PolicyCheck | undefined;
}

/** Decides whether a call may be sent: permission, input, policy. Commands that are refused are recorded (decision D-LOG 8). */
export class Admission {
  readonly #options: AdmissionOptions;
  /** Whether commands have to pass {@link allowed}. */
  readonly hasPolicy: boolean;

  constructor(options: AdmissionOptions) {
    this.#options = options;
    this.hasPolicy = options.policy !== undefined;
  }

  /** Checks the permission of a call; throws `PERMISSION_DENIED`. */
  permit({ operation: { permission }, principal }: Call): void {
    if (permission === null || principal.permissions.has(permission)) return;
    throw new AdminError("PERMISSION_DENIED", `User "${principal.name}" lacks the permission ${permission}`);
  }

  /** Checks the input of a call, unless it has been checked; throws `BAD_REQUEST`. */
  valid(call: Call, raw: unknown): ValidInput {
    if (raw instanceof ValidInput && raw.operation === call.name) return raw;
    return validInput(call.name, call.operation, raw, this.#options.unknownFields);
  }

  /** Checks permission, then input, of a command. */
  async command(call: Call, source: InputSource): Promise<ValidInput> {
    let input = source.known;
    try {
      this.permit(call);
      const raw = await source.read();
      if (isObject(raw)) input = raw;
      return this.valid(call, raw);
    } catch (thrown) {
      return this.#refused(call, input, false, thrown);
    }
  }

  /** Asks the policy about a command with valid input that has to be done by `deadline`, epoch milliseconds. */
  async allowed(call: Call, input: Fields, deadline: number): Promise<void> {
    try {
      await this.#options.policy?.admit(call, input, deadline);
    } catch (thrown) {
      await this.#refused(call, input, true, thrown);
    }
  }

  async #refused(call: Call, input: Fields, isValid: boolean, thrown: unknown): Promise<never> {
    const { outcome, status, message } = AdminError.from(thrown);
    const details = () => ({ ...recordedInput(input, isValid), status, message });
    await this.#options.refusals.add(call, outcome, details);
    throw thrown;
  }
}
