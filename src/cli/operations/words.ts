import type { AdminClientError } from "../../client/errors.ts";
import type { OperationName } from "../../core/operations/table.ts";
import { outcomeOf } from "../exit-codes.ts";
import { OPERATION_FACTS } from "./facts.ts";

/** What happened to a command or a read that failed, in words that leave no doubt. */
export function failureWords(operation: OperationName, error: AdminClientError): string {
  const { reason, status, retryAfter, requestId } = error;
  const facts = [...(status === undefined ? [] : [`status ${status}`]), `request id ${requestId}`];
  const because = `${reason} (${facts.join(", ")})`;
  const isRead = OPERATION_FACTS[operation].lane === "read";
  switch (outcomeOf(error)) {
    case "denied":
      return `denied, nothing was sent to the engine: ${because}`;
    case "rejected":
      return `refused by ${refuserOf(operation, error)}${isRead ? "" : ", nothing was changed"}: ${because}`;
    case "not-sent":
      return `not sent: ${because}${retryAfter === undefined ? "" : `; try again in ${retryAfter} s`}`;
    case "done":
      return `applied, do not repeat it: ${because}`;
    case "failed":
      return `failed: ${because}; nothing was changed`;
    default:
      return `may have been applied: read the state before you repeat it: ${because}`;
  }
}

/** The API's own checks name a field of the input; any other 400 or 404 comes from the engine. */
function refuserOf(operation: OperationName, { status, reason }: AdminClientError): string {
  const fields = OPERATION_FACTS[operation].input.map(({ name }) => name);
  const isChecked = fields.length > 0 && new RegExp(`^(${fields.join("|")})\\b`).test(reason);
  return isChecked || (status !== 400 && status !== 404) ? "the API" : "the engine";
}
