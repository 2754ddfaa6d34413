import { addressOf, welcome } from "./pages.mjs";

/** What the start page has above its text: title and first sentence, and a card for each reader with what to read first. */
export function cardsOf() {
  const { title, sentence, readers } = welcome();
  const features = readers.map(({ reader, first, next }) => ({
    title: reader,
    details: `${linked(first)}<br>then ${linked(next)}`,
  }));
  return { hero: { name: title, tagline: sentence }, features };
}

function linked(links) {
  return links.map(({ text, link }) => `<a href="${addressOf(link)}">${text}</a>`).join(", ");
}
