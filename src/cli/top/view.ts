import type { State } from "./state.ts";

/** The lists of the screen, in their order. */
export const PANELS = ["sessions", "services", "positions"] as const;

export type PanelName = (typeof PANELS)[number];

export interface PanelView {
  /** Index of the column that it is sorted by. */
  readonly sort: number;
  readonly descending: boolean;
  /** Only rows that hold this text. */
  readonly filter: string;
  /** Index of the first row that is shown. */
  readonly first: number;
}

interface Typing {
  readonly what: "filter" | "halt";
  readonly text: string;
}

/** How the screen is looked at; it changes only by keys. */
export interface View {
  readonly focus: PanelName;
  readonly panels: Readonly<Record<PanelName, PanelView>>;
  readonly typing?: Typing | undefined;
}

/** The list in focus: its columns, how many rows it has, and how many fit. */
export interface Extent {
  readonly columns: number;
  readonly rows: number;
  readonly page: number;
}

/** A key as `node:readline` names it. */
export interface Key {
  readonly name?: string | undefined;
  readonly ctrl?: boolean;
  /** Typed text, for printable keys. */
  readonly text?: string | undefined;
}

export interface Pressed {
  readonly view: View;
  readonly action?: "quit" | "halt";
}

/** The word that has to be typed for a halt. */
export const HALT_WORD = "halt";

/** Sorted by the second column: the worst status comes first. */
const WORST: PanelView = { sort: 1, descending: false, filter: "", first: 0 };

/** Positions begin with the largest, whatever their sign. */
export const FIRST_VIEW: View = {
  focus: "sessions",
  panels: { sessions: WORST, services: WORST, positions: { ...WORST, descending: true } },
};

export function pressed(view: View, key: Key, extent: Extent): Pressed {
  if (key.ctrl === true && (key.name === "c" || key.name === "d")) return { view, action: "quit" };
  if (view.typing) return typed(view, view.typing, key);
  const command = COMMANDS[key.name ?? ""] ?? COMMANDS[key.text ?? ""];
  if (command) return command(view, extent);
  return { view };
}

const COMMANDS: Readonly<Record<string, (view: View, extent: Extent) => Pressed>> = {
  q: (view) => ({ view, action: "quit" }),
  h: (view) => ({ view: { ...view, typing: { what: "halt", text: "" } } }),
  "/": (view) => ({ view: { ...view, typing: { what: "filter", text: focused(view).filter } } }),
  tab: (view) => ({ view: { ...view, focus: PANELS[(PANELS.indexOf(view.focus) + 1) % PANELS.length] ?? view.focus } }),
  s: (view, { columns }) => change(view, ({ sort }) => ({ sort: (sort + 1) % columns, first: 0 })),
  r: (view) => change(view, ({ descending }) => ({ descending: !descending, first: 0 })),
  down: (view, extent) => moved(view, extent, 1),
  up: (view, extent) => moved(view, extent, -1),
  pagedown: (view, extent) => moved(view, extent, extent.page),
  space: (view, extent) => moved(view, extent, extent.page),
  pageup: (view, extent) => moved(view, extent, -extent.page),
  home: (view, extent) => moved(view, extent, -extent.rows),
  end: (view, extent) => moved(view, extent, extent.rows),
  escape: (view) => change(view, () => ({ filter: "", first: 0 })),
};

/** Edits the input line; nothing is halted unless it is the whole word when Enter is pressed. */
function typed(view: View, { what, text }: Typing, key: Key): Pressed {
  switch (key.name) {
    case "escape":
      return { view: { ...view, typing: undefined } };
    case "return":
    case "enter":
      return entered(view, { what, text });
    case "backspace":
      return { view: { ...view, typing: { what, text: text.slice(0, -1) } } };
    default: {
      const added = key.ctrl === true ? "" : (key.text ?? "").replace(/\p{Cc}/gu, "");
      return { view: { ...view, typing: { what, text: text + added } } };
    }
  }
}

function entered(view: View, { what, text }: Typing): Pressed {
  const done = { ...view, typing: undefined };
  if (what === "filter") return change(done, () => ({ filter: text, first: 0 }));
  return text === HALT_WORD ? { view: done, action: "halt" } : { view: done };
}

function moved(view: View, { rows, page }: Extent, by: number): Pressed {
  const last = Math.max(0, rows - page);
  return change(view, ({ first }) => ({ first: Math.min(last, Math.max(0, first + by)) }));
}

function focused({ focus, panels }: View): PanelView {
  return panels[focus];
}

function change(view: View, by: (panel: PanelView) => Partial<PanelView>): Pressed {
  const panel = focused(view);
  return { view: { ...view, panels: { ...view.panels, [view.focus]: { ...panel, ...by(panel) } } } };
}

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
  /** Result of the last command. */
  readonly message: string | undefined;
}
