import { STATUS_CODES } from "node:http";
import { ADMIN_ERRORS, type Outcome } from "../../src/core/errors.ts";

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
  const outcomes = Object.entries(OUTCOMES).map(([outcome, text]) => `| ${outcome} | ${text} |`);
  return `# Errors

<!-- Generated from src/core/errors.ts by "npm run docs"; do not edit. -->

Every error answer but 401 has the body \`{ "status": 400, "error": "Bad Request", "message": "..." }\`; 401 has no body and a
\`WWW-Authenticate\` header. In the process, the same error is an \`AdminError\`: tell cases apart by its \`code\`, never by
its message. Every response carries \`X-Request-Id\`, which is also in the log and in the audit records.

## What an error says about a mutation

| Outcome | Meaning |
|---|---|
${outcomes.join("\n")}

Over HTTP the answer to a mutation says it in \`X-Admin-Outcome\`: \`applied\`, \`unknown\`, or \`not-applied\` for the four others. Believe it
before the status, which alone leaves a 500 open; without it (a proxy may take it out) a 500 has to count as unknown.

429 and 503 always mean that a mutation was not sent. 504 on a mutation always means that its outcome is unknown; when the
engine's reply comes later, the audit log gains a record \`applied late\` or \`rejected late\` with the same id.

## All errors

| Code | Status | Outcome of a mutation | Meaning | What to do |
|---|---|---|---|---|
${rows.join("\n")}
`;
}
