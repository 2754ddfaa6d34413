import { changeNames } from "../../core/operations/table.ts";
import { isRestrictable } from "../../core/principal.ts";
import { FREEZE_WINDOW_FORMS, parseFreezeWindow } from "../../policy/freeze-window.ts";
import { duration } from "../quantities.ts";
import { optional, setting } from "../setting.ts";
import {
  byName,
  choice,
  choices,
  elementsThat,
  flag,
  flagOrList,
  listOf,
  partOf,
  restricting,
  timeZone,
} from "../values.ts";

const TWO_PERSON = "admin.policy.two-person.operations";

/** Rules for users who have the permission. A refused command gets a 403 with the reason. */
export const policySettings = {
  "admin.policy.read-only": setting(
    restricting(flag()),
    "false",
    "`true` refuses every command, stops too: for a gateway that only shows what another one controls.",
  ),
  "admin.policy.stop-only": setting(
    // An array of JSON would be taken for names that nobody has.
    restricting(flagOrList("users", (name) => isRestrictable(name) && !/[[\]"]/.test(name))),
    "false",
    "Users who may halt, disable and disconnect and send no other command; `true` applies to all users, as in a change freeze.",
  ),
  "admin.policy.freeze.windows": setting(
    restricting(elementsThat(`a list of ${FREEZE_WINDOW_FORMS}`, (text) => parseFreezeWindow(text) !== undefined)),
    "",
    "Parts of the week in which only stops pass, such as the opening auction. The last minute of a window does not belong to it.",
  ),
  "admin.policy.freeze.time-zone": setting(
    partOf("admin.policy.freeze.windows", timeZone()),
    "UTC",
    "Time zone of the freeze windows, such as `Europe/Berlin`.",
  ),
  "admin.policy.paths.*": optional(
    restricting(byName(listOf("projection paths", /./), isRestrictable)),
    "Projection paths on which the user with this name may act, and on what is below; a command that names another path, or none " +
      "where it could, is refused, stops too. Users without this setting are free.",
  ),
  [TWO_PERSON]: optional(
    restricting(choices(...changeNames)),
    "Changes that are sent only when a second user sends the same command. Stops never need a second person.",
  ),
  "admin.policy.two-person.within": setting(
    partOf(TWO_PERSON, duration("1s", "24h")),
    "5m",
    "Time that the second person has.",
  ),
  "admin.policy.two-person.store": setting(
    partOf(TWO_PERSON, choice("memory", "nats")),
    "memory",
    "Where changes wait for the second person: in the `memory` of the gateway, so that both people have to use the same one, or in `nats` " +
      "(JetStream), so that they may use any.",
  ),
};
