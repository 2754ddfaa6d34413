import type { State } from "./state.ts";
import type { View } from "./view.ts";

/** What the screen is made of. */
export interface Scene {
  readonly state: State;
  readonly view: View;
  /** Of the installation, and its address. */
  readonly name: string;
  readonly width: number;
  readonly height: number;
  readonly colour: boolean;
  /** Epoch milliseconds. */
  readonly now: number;
  /** What became of the last command. */
  readonly message: string | undefined;
}
