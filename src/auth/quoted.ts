/** A name in quotes for a message; control characters are escaped, as messages end up in logs and terminals. */
export function quoted(name: string): string {
  return JSON.stringify(name).replace(/\p{Cc}/gu, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
