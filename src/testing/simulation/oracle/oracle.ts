import {
  everybodyIsAnswered,
  everyStopIsSent,
  nothingTwice,
  outcomesAreTrue,
  refusalsHaveReasons,
  twoPeopleAgreed,
} from "./answers.ts";
import type { Happened, Rule, Violation } from "./happened.ts";
import { arrivalsAreTrue, noChangeOvertakes, noStopComesToLife } from "./order.ts";
import { chainsVerify, recordsAreThere } from "./records.ts";

const RULES: readonly Rule[] = [
  noChangeOvertakes,
  noStopComesToLife,
  arrivalsAreTrue,
  outcomesAreTrue,
  nothingTwice,
  everybodyIsAnswered,
  everyStopIsSent,
  refusalsHaveReasons,
  twoPeopleAgreed,
  chainsVerify,
  recordsAreThere,
];

/** Judges a history, by nothing but what happened: none of it asks the product's code. */
export function judge(happened: Happened): Violation[] {
  return RULES.flatMap((rule) => rule(happened));
}
