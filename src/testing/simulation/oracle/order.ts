import { effectsOf, type Happened, type Judged, mayLackArrival, type Rule, type Violation } from "./happened.ts";

/** No change takes effect after a stop of its target, or of one that holds it, that arrived later at whatever gateway. */
export const noChangeOvertakes: Rule = (happened) =>
  pairs(happened).flatMap(([first, second]) => {
    if (!first.covers(second) || second.isStop || !first.isLaterThan(second)) return [];
    const message = `${second.id} took effect after the stop ${first.id}, which arrived ${ms(first.earliest - second.latest)} later`;
    return [{ rule: "no change takes effect after a stop that arrived later", message }];
  });

/** No stop takes effect after a change that undoes it and arrived later. */
export const noStopComesToLife: Rule = (happened) =>
  pairs(happened).flatMap(([first, second]) => {
    if (!first.undoes(second) || !first.isLaterThan(second) || !isDoneBefore(first, second)) return [];
    const message = `the stop ${second.id} took effect after ${first.id}, which undoes it and arrived ${ms(first.earliest - second.latest)} later`;
    return [{ rule: "no stop takes effect after a later change that undoes it", message }];
  });

/** The effect of an undo that failed, or has no reply yet, is uncertain: the stop counts then, also if both have the same time. */
function isDoneBefore({ receipt: undo }: Judged, { receipt: stop }: Judged): boolean {
  return undo?.reply === "ok" && (undo.repliedAt ?? Number.POSITIVE_INFINITY) < (stop?.at ?? 0);
}

/** The engine receives the time of arrival, and it is right. */
export const arrivalsAreTrue: Rule = ({ commands, engineAhead }) =>
  commands.flatMap((command): Violation[] => {
    const { receipt, id } = command;
    if (!receipt) return [];
    const rule = "the engine receives the time at which a command arrived";
    if (receipt.arrived === undefined) {
      return mayLackArrival(command) ? [] : [{ rule, message: `${id} came without the time of its arrival` }];
    }
    const off = outside(command, receipt.arrived - (engineAhead[receipt.life - 1] ?? 0));
    if (off <= command.within) return [];
    return [
      { rule, message: `the arrival of ${id} is off by ${ms(off)}, and was said to be off by ${ms(receipt.within)}` },
    ];
  });

function outside({ earliest, latest }: Judged, time: number): number {
  return Math.max(earliest - time, time - latest, 0);
}

/** Each two commands that took effect in one life of the engine, in that order. */
function pairs(happened: Happened): [Judged, Judged][] {
  const effects = effectsOf(happened.commands);
  return effects.flatMap((second, index) =>
    effects
      .slice(0, index)
      .filter((first) => first.life === second.life)
      .map((first): [Judged, Judged] => [first.command, second.command]),
  );
}

function ms(time: number): string {
  return `${time.toFixed(1)} ms`;
}
