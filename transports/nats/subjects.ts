import type { OperationName } from "../../src/core/operations/table.ts";
import { CONTRACT_NAME } from "../json-rpc/contract.ts";

/** Characters that NATS gives a meaning in subjects: the separator, wildcards, blanks; and control characters. */
const TOKENS = /^[^.*>\s\p{Cc}]+(\.[^.*>\s\p{Cc}]+)*$/u;

/** Makes the subjects of the operations; throws `TypeError` for a prefix that cannot begin one. */
export function subjectMaker(prefix: string = CONTRACT_NAME): (name: OperationName) => string {
  if (!TOKENS.test(prefix)) {
    throw new TypeError(
      `The prefix of NATS subjects must be words joined by ".", without blanks, "*" and ">", for example ${CONTRACT_NAME}`,
    );
  }
  return (name) => `${prefix}.${name}`;
}
