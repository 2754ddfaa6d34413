import type { Access } from "./access.ts";
import type { ConsoleApi } from "./api.ts";
import type { CommandDesk } from "./command-desk.ts";
import type { Polling } from "./polling.ts";

/** What all panels share. */
export interface Parts {
  readonly api: ConsoleApi;
  readonly access: Access;
  readonly desk: CommandDesk;
  readonly polling: Polling;
}
