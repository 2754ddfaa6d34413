import { operationRecord, operations } from "../core/operations/table.ts";
import type { PolicyRequest } from "../core/policy/policy.ts";
import { refusalWords, YOURS_IS_FIRST } from "../core/records/second-person.ts";
import { timeOf } from "../core/stops/words.ts";
import type { ApprovalRequest, Approver, SentChange } from "./approvals.ts";

interface FirstRequest {
  readonly user: string;
  readonly gateway: string | undefined;
  /** At which gateways the second person may send the command. */
  readonly where: string;
  /** RFC 3339. */
  readonly until: string;
}

/** A request that no longer counts. */
export interface End {
  readonly of: ApprovalRequest;
  /** What ended it; an {@link Approver} is who stopped again what the change takes back. */
  readonly cause: "expired" | "stop changed" | "permission" | Approver;
}

export function awaited(request: PolicyRequest, { user, gateway, where, until }: FirstRequest): string {
  const asked = `${JSON.stringify(user)}${atGateway(gateway)}`;
  return refusalWords(nameOf(request), asked, `another user must send the same command${where}`, until);
}

/** Says why this is not the second request of the two, for a user who may have meant it to be. */
export function endWords(request: PolicyRequest, { of, cause }: End, now: number): string {
  const ended = `the request of ${timeOf(of.at, now)} UTC by ${JSON.stringify(of.user)} ${causeWords(request, cause, now)}`;
  return `${ended}; ${YOURS_IS_FIRST}`;
}

function causeWords({ operation }: PolicyRequest, cause: End["cause"], now: number): string {
  switch (cause) {
    case "expired":
      return "has expired";
    case "stop changed":
      return "is void, as the stop has changed at the engine since";
    case "permission":
      return "is void, as that user may no longer send it";
    default: {
      const by = JSON.stringify(cause.stoppedBy);
      return `is void, as ${by} sent ${operationRecord(operations, operation).undoes} at ${timeOf(cause.at, now)} UTC`;
    }
  }
}

/** Says what happened elsewhere: whoever does not know sends the command once more. */
export function sentBy(request: PolicyRequest, sent: SentChange): string {
  const { user, gateway, requestId, at } = sent.taker;
  const who = `was just sent by ${JSON.stringify(user)}${atGateway(gateway)}, as ${JSON.stringify(sent.user)} had asked`;
  const where = `at ${new Date(at).toISOString()} (request ${JSON.stringify(requestId)}, whose response has the outcome)`;
  return `${nameOf(request)} ${who}, ${where}; nothing was sent now. Send it again only to ask for it once more`;
}

export function stoppedMeanwhile(request: PolicyRequest): string {
  return `${nameOf(request)} was stopped meanwhile; nothing was sent. Send it again to ask for it`;
}

function atGateway(gateway: string | undefined): string {
  return gateway === undefined ? "" : ` at gateway ${JSON.stringify(gateway)}`;
}

function nameOf({ operation, input }: PolicyRequest): string {
  const target = operations[operation].target.map((field) => String(Reflect.get(input, field))).join("/");
  return `${operation} ${target === "" ? "system-wide" : `of ${JSON.stringify(target)}`}`;
}
