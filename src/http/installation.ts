import type { HttpDocument } from "./documents.ts";
import { escaped } from "./page-files.ts";

/** How the pages say which installation they belong to, so that production and test are not mistaken for one another. */

/** Fails on what is not one colour: it becomes part of a style sheet. */
export function checkColour(colour: string | undefined): void {
  if (colour === undefined || /^(?:#[0-9a-f]{6}|[a-z]+)$/i.test(colour)) return;
  throw new TypeError(`colour must be a CSS colour name or #rrggbb, is ${JSON.stringify(colour)}`);
}

/** Title of a page, behind the name of the installation. */
export function pageTitle(name: string | undefined, page: string): string {
  return name === undefined ? page : `${escaped(name)} · ${page}`;
}

/** The name in the header of a page; empty without one. */
export function badgeOf(name: string | undefined): string {
  return name === undefined ? "" : `<span class="installation">${escaped(name)}</span> `;
}

/** An icon in the colour of the installation. Its slashes are encoded, as nothing of a page is from elsewhere. */
export function iconOf(colour: string): string {
  const square = `<rect width="16" height="16" rx="4" fill="${colour}"/>`;
  const image = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">${square}</svg>`;
  return `data:image/svg+xml,${encodeURIComponent(image)}`;
}

/** A style sheet with the colour of the installation: the content security policy allows none in the page itself. */
export function inColour(style: HttpDocument, colour: string | undefined): HttpDocument {
  return colour === undefined ? style : { ...style, content: `${style.content}:root { --installation: ${colour}; }\n` };
}
