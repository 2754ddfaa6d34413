/** How an operator looks at the tables is in the address of the page, so that it outlives a reload and can be passed on as a link. */

/** What the address says of something; empty when it says nothing. */
export function inAddress(name: string): string {
  return new URLSearchParams(location.search).get(name) ?? "";
}

/** Notes something in the address, without a step in the history; an empty text takes it out. */
export function noteInAddress(name: string, text: string): void {
  const query = new URLSearchParams(location.search);
  if (text === "") query.delete(name);
  else query.set(name, text);
  const search = query.size === 0 ? "" : `?${query}`;
  history.replaceState(null, "", `${location.pathname}${search}${location.hash}`);
}
