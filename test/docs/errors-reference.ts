import { STATUS_CODES } from "node:http";
import { ADMIN_ERRORS, mutationOutcome, type Outcome } from "../../src/core/errors.ts";

const OUTCOMES: Readonly<Record<Outcome, string>> = {
  applied: "The engine accepted the command.",
  rejected: "The engine refused it; nothing was changed.",
  denied: "Refused before it was a command: credentials, permission, path or method. The engine never saw it.",
  invalid: "Refused because of its content. The engine never saw it.",
  "not-sent": "It was not sent to the engine. Sending it again is safe.",
  unknown: "It was sent, and it is not known whether it was applied. Re-read the state before any retry.",
};

/** Text of `docs/reference/errors.md`, made from the error table. */
export function errorsReference(): string {
  const rows = Object.entries(ADMIN_ERRORS).map(
    ([code, { status, outcome, meaning, remedy }]) =>
      `| \`${code}\` | ${status} ${STATUS_CODES[status]} | ${outcome} | ${meaning} | ${remedy} |`,
  );
  const outcomes = Object.entries(OUTCOMES).map(
    ([outcome, text]) => `| ${outcome} | \`${mutationOutcome(outcome as Outcome)}\` | ${text} |`,
  );
  return `# Errors

<!-- Generated from src/core/errors.ts by "npm run docs"; do not edit. -->

Every error but 401 has the body \`{ "status": 400, "error": "Bad Request", "message": "..." }\`; 401 has no body and a
\`WWW-Authenticate\` header. Calls without HTTP reject with an \`AdminError\`: tell cases apart by its \`code\`, never by its message.
Every response carries \`X-Request-Id\`, which is also in the log and in the audit records, unless the request did not arrive completely
(408, 414, 431).

## What an error says about a mutation

| Outcome | \`X-Admin-Outcome\` | Meaning |
|---|---|---|
${outcomes.join("\n")}

How to act on them: [outcomes](../understand/outcomes.md).

## All errors

| Code | Status | Outcome of a mutation | Meaning | What to do |
|---|---|---|---|---|
${rows.join("\n")}
`;
}
