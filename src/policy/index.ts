// Ready-made policies for `new AdminApi({ authorize })`.
export { allOf } from "./all-of.ts";
export { type FreezeOptions, freeze } from "./freeze.ts";
export { onlyPaths, type PathsOfUsers } from "./only-paths.ts";
export { readOnly } from "./read-only.ts";
export { stopOnly } from "./stop-only.ts";
export { type TwoPersonOptions, twoPerson } from "./two-person.ts";
