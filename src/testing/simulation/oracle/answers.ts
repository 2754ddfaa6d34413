import { type Happened, isOfFormerLife, type Judged, mayLackArrival, type Rule, type Violation } from "./happened.ts";

const NOT_APPLIED: ReadonlySet<string> = new Set(["rejected", "denied", "invalid", "not-sent"]);

/** From the body of a stop until it is sent, at most: half a second for a policy, and for its record. */
const STOP_SENT_MS = 1_100;
/** Milliseconds after which a change may be too old for its deadline. */
const OLD_MS = 9_000;
/** How long the first of two people's commands is remembered. */
const ASK_MS = 300_000;

/** The response to a caller is what the engine did. */
export const outcomesAreTrue: Rule = ({ commands }) =>
  commands.flatMap(({ id, facts: { told, effects } }) => {
    const rule = "no outcome is false";
    if (told?.outcome === "applied" && effects.length === 0) {
      return [{ rule, message: `${id} was answered applied, and the engine did not carry it out` }];
    }
    if (told && NOT_APPLIED.has(told.outcome) && effects.length > 0) {
      return [{ rule, message: `${id} was answered ${told.outcome}, and the engine carried it out` }];
    }
    return [];
  });

/** Nothing is sent, received or carried out twice. */
export const nothingTwice: Rule = ({ commands }) =>
  commands.flatMap(({ id, facts }) => {
    const most = Math.max(facts.sent.length, facts.receipts.length, facts.effects.length);
    return most > 1 ? [{ rule: "nothing is carried out twice", message: `${id} came ${most} times` }] : [];
  });

/** Every caller has an answer while their gateway lives. */
export const everybodyIsAnswered: Rule = ({ commands, journal }) =>
  commands.flatMap(({ id, facts, gateway }) => {
    if (facts.told) return [];
    const hasDied = journal.troubles.some(
      ({ kind, process, from }) => kind === "dead" && process === gateway && from >= facts.earliest,
    );
    return hasDied ? [] : [{ rule: "everybody has an answer", message: `${id} has none, and its gateway lives` }];
  });

/** Every stop is sent if its gateway lives and has a link, and soon. */
export const everyStopIsSent: Rule = ({ commands }) =>
  commands.flatMap((command): Violation[] => {
    const { id, isStop, facts } = command;
    const rule = "every stop is sent";
    if (!isStop || command.met(["dead"])) return [];
    const [sent] = facts.sent;
    if (sent === undefined) {
      return command.met(["commands down"]) || command.engineMet(["dead"])
        ? []
        : [{ rule, message: `the stop ${id} was not sent` }];
    }
    const waited = sent - (facts.latest ?? 0) - facts.command.bodyMs;
    if (waited <= STOP_SENT_MS || command.met(["paused"])) return [];
    return [{ rule, message: `the stop ${id} was sent ${waited.toFixed(0)} ms after its body had come` }];
  });

/** Nothing is refused, or left unknown, without a reason. */
export const refusalsHaveReasons: Rule = (happened) =>
  happened.commands.flatMap((command) => {
    const { told } = command.facts;
    if (!told || told.code === "OK" || REASONS[told.code]?.(command, happened)) return [];
    const message = `${command.id} was answered ${told.code} without a reason: ${told.message}`;
    return [{ rule: told.code === "POLICY_DENIED" ? SECOND_PERSON : "nothing is refused without a reason", message }];
  });

const SECOND_PERSON = "the consent of a second person counts, whichever gateway they reach";

/** Whether there was a reason for an answer; there is none for any other answer. */
const REASONS: Readonly<Record<string, (command: Judged, happened: Happened) => boolean>> = {
  STOP_CAME_FIRST: (command, { commands }) => commands.some((stop) => hasOvertaken(stop, command)),
  REJECTED: (command, { commands }) =>
    isHistory(command, commands) || isTooLate(command) || command.engineMet(["engine trouble"]),
  POLICY_DENIED: (command, { commands, plan }) =>
    plan.twoPerson && (isNews(command) ? wasSent(command, commands) : !wasAsked(command, commands)),
  POLICY_FAILED: (command, { plan }) =>
    isRead(command, plan) &&
    (command.met(["reads frozen", "reads down", "paused"]) || command.engineMet(["paused", "engine trouble"])),
  REQUEST_TIMEOUT: (command) => !command.isStop && isOld(command),
  AUDIT_UNAVAILABLE: (command) => !command.isStop && command.met(["bad disk", "paused"]),
  OUTCOME_NOT_RECORDED: (command) => !command.isStop && command.met(["bad disk"]),
  ENGINE_UNAVAILABLE: (command, { plan }) =>
    command.met(isRead(command, plan) ? ["commands down", "reads down"] : ["commands down"]) ||
    command.engineMet(["dead"]) ||
    isOfFormerLife(command),
  ENGINE_FAILED: (command) => command.engineMet(["engine trouble"]),
  ENGINE_TIMEOUT: (command) =>
    command.met(["commands down", "commands frozen", "paused"]) ||
    command.engineMet(["dead", "paused", "engine trouble"]) ||
    (command.met(["bad disk"]) && isOld(command)),
};

function hasOvertaken(stop: Judged, change: Judged): boolean {
  const isKnown = stop.gateway === change.gateway || stop.receipt !== undefined;
  return isKnown && stop !== change && stop.covers(change) && stop.mayBeLaterThan(change);
}

/** Whether what it acts on is read first, for the policy. */
function isRead({ facts }: Judged, { twoPerson }: Happened["plan"]): boolean {
  return twoPerson && facts.command.operation === "adjustPosition";
}

/** Whether its deadline may have passed, by the clock that its gateway could know. */
function isTooLate(command: Judged): boolean {
  return isOld(command) || (command.receipt?.arrived === undefined && mayLackArrival(command));
}

/** Whether a stop came after what undid it. */
function isHistory(stop: Judged, commands: readonly Judged[]): boolean {
  return commands.some(
    (undo) =>
      undo.undoes(stop) &&
      undo.mayBeLaterThan(stop) &&
      undo.facts.effects.some(({ at }) => at <= (stop.receipt?.at ?? 0)),
  );
}

function isOld({ earliest, facts: { told } }: Judged): boolean {
  return told !== undefined && told.at - earliest > OLD_MS;
}

/** Whether it was refused because somebody has just sent the same: that asks for nothing. */
function isNews({ facts: { told } }: Judged): boolean {
  return told?.message.includes(" was just sent by ") ?? false;
}

/** Whether somebody else had sent the same, as two people had agreed. */
function wasSent(command: Judged, commands: readonly Judged[]): boolean {
  const { told, command: own } = command.facts;
  return commands.some(
    (other) =>
      isSame(command, other) &&
      other.facts.command.user !== own.user &&
      other.facts.told?.code !== "POLICY_DENIED" &&
      other.earliest <= (told?.at ?? 0),
  );
}

/** Whether another person had certainly asked for the same before, and nobody had answered that. */
function wasAsked(command: Judged, commands: readonly Judged[]): boolean {
  const same = commands.filter((other) => other !== command && isSame(command, other));
  return same.some((ask) => {
    const { told } = ask.facts;
    if (told?.code !== "POLICY_DENIED" || isNews(ask) || ask.facts.command.user === command.facts.command.user)
      return false;
    if (told.at >= command.facts.earliest || told.at < command.facts.earliest - ASK_MS) return false;
    return !same.some((other) => other !== ask && mayHaveAnswered(other, ask));
  });
}

/** Whether a command may have taken an ask as that of the first person. */
function mayHaveAnswered({ facts: { told } }: Judged, ask: Judged): boolean {
  return told?.code !== "POLICY_DENIED" && (told?.at ?? Number.POSITIVE_INFINITY) >= ask.earliest;
}

/** Each change that needs two people was asked for by another one before, for itself alone. */
export const twoPeopleAgreed: Rule = ({ commands, plan }) => {
  if (!plan.twoPerson) return [];
  const changes = commands.filter(({ facts }) => facts.command.operation === "adjustPosition");
  return changes.flatMap((change) => {
    const same = changes.filter((other) => isSame(change, other));
    const effects = same.filter(({ facts }) => facts.effects.length > 0);
    const asks = same.filter(({ facts }) => facts.effects.length === 0);
    if (effects.length <= asks.length || effects[0] !== change) return [];
    const message = `${effects.map(({ id }) => id).join(", ")} took effect, and only ${asks.length} were asked for by somebody else`;
    return [{ rule: "a change that needs two people has two", message }];
  });
};

function isSame({ facts: { command: one } }: Judged, { facts: { command: other } }: Judged): boolean {
  return one.operation === other.operation && JSON.stringify(one.input) === JSON.stringify(other.input);
}
