/** Elements of Swagger UI that have no name for screen readers, and the name that each gets. */
const NAMES: Readonly<Record<string, (element: HTMLElement) => string>> = {
  "select.examples-select-element": () => "Example",
  "textarea.body-param__text": () => "Request body",
  "table.responses-table[role=region]": ({ id }) => `Responses, ${id.replace(/_responses$/, "")}`,
};

/** Boxes of Swagger UI that scroll; a keyboard has to reach them. */
const SCROLLED = "pre.microlight";

/** Gives names and keyboard access to what Swagger UI renders below `root`, now and later. */
export function nameElements(root: HTMLElement): void {
  const update = (): void => {
    for (const [selector, nameOf] of Object.entries(NAMES)) {
      for (const element of root.querySelectorAll<HTMLElement>(`${selector}:not([aria-label])`)) {
        element.setAttribute("aria-label", nameOf(element));
      }
    }
    for (const box of root.querySelectorAll<HTMLElement>(`${SCROLLED}:not([tabindex])`)) box.tabIndex = 0;
  };
  new MutationObserver(update).observe(root, { childList: true, subtree: true });
}
