import { createHash } from "node:crypto";
import { gatewayName } from "../journal.ts";
import type { Judged, Rule, Violation } from "./happened.ts";

/** Fields of a record that the rules read. */
interface Line {
  readonly seq: number;
  readonly previous: string;
  readonly hash: string;
  readonly requestId: string;
  readonly stage: string;
}

const APPLIED: ReadonlySet<string> = new Set(["applied", "applied late"]);
const NOT_APPLIED: ReadonlySet<string> = new Set(["rejected", "rejected late", "not-sent", "denied", "invalid"]);

/** The chain of each file verifies, as the documented format says: a torn last line is what a crash leaves. */
export const chainsVerify: Rule = ({ files }) =>
  files.flatMap((text, gateway) => {
    let last = { seq: 0, hash: "0".repeat(64) };
    for (const line of text.split("\n").slice(0, -1)) {
      const record = JSON.parse(line) as Line;
      const { seq, previous, hash } = record;
      const computed = createHash("sha256").update(line.slice(0, -75)).digest("hex");
      if (computed !== hash || seq !== last.seq + 1 || previous !== last.hash) {
        const message = `the file of ${gatewayName(gateway)} breaks at record ${seq}`;
        return [{ rule: "the chain of the records verifies", message }];
      }
      last = record;
    }
    return [];
  });

/** Every command that reached the engine has its records, and no record is false. */
export const recordsAreThere: Rule = ({ files, commands }) => {
  const stages = files.map(stagesOf);
  return commands.flatMap((command) => {
    const found = stages[command.gateway]?.get(command.id) ?? [];
    return [...missing(command, found), ...untrue(command, found)];
  });
};

function stagesOf(text: string): Map<string, string[]> {
  const byRequest = new Map<string, string[]>();
  for (const line of text.split("\n").slice(0, -1)) {
    const { requestId, stage } = JSON.parse(line) as Line;
    byRequest.set(requestId, [...(byRequest.get(requestId) ?? []), stage]);
  }
  return byRequest;
}

function missing(command: Judged, stages: readonly string[]): Violation[] {
  const { id, facts, isStop } = command;
  const rule = "every command that reached the engine has its records";
  const mayLack = command.metLater(["bad disk"]) || (isStop && command.metLater(["dead"]) && command.met(["paused"]));
  const violations: Violation[] = [];
  if (facts.receipts.length > 0 && !stages.includes("intent") && !(isStop && mayLack)) {
    violations.push({ rule, message: `${id} reached the engine and has no intent` });
  }
  const { told } = facts;
  if (!told || mayLack) return violations;
  // A record that could not be kept is what the answer says.
  const expected = told.code === "OUTCOME_NOT_RECORDED" || told.code === "AUDIT_UNAVAILABLE" ? undefined : told.outcome;
  if (expected !== undefined && !stages.includes(expected)) {
    violations.push({ rule, message: `${id} was answered ${told.outcome}, and its records are: ${stages.join(", ")}` });
  }
  return violations;
}

function untrue({ id, facts: { effects } }: Judged, stages: readonly string[]): Violation[] {
  const rule = "no record is false";
  const claims = stages.filter((stage) => (effects.length > 0 ? NOT_APPLIED : APPLIED).has(stage));
  return claims.map((stage) => ({
    rule,
    message: `${id} is recorded as ${stage}, and the engine ${effects.length > 0 ? "carried it out" : "did not carry it out"}`,
  }));
}
