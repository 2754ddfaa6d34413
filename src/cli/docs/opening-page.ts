import { randomBytes } from "node:crypto";
import { PAGE_KEY_NAME } from "../../core/conventions.ts";

/** A page of this program itself. */
export interface OwnPage {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The page that leaves the key in the browser's storage for this origin, then navigates to `path` without an entry in the history. */
export function openingPage(key: string, path: string): OwnPage {
  const nonce = randomBytes(16).toString("base64url");
  return {
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      "Cache-Control": "no-store",
      "Content-Security-Policy": `default-src 'none'; script-src 'nonce-${nonce}'; base-uri 'none'; frame-ancestors 'none'`,
      "Cross-Origin-Opener-Policy": "same-origin",
      "Referrer-Policy": "no-referrer",
    },
    body: `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Trading administration</title>
  </head>
  <body>
    <p>This page needs JavaScript, and a browser that may store data for this address. Allow both and run the command again.</p>
    <script nonce="${nonce}">
      localStorage.setItem(${inScript(PAGE_KEY_NAME)}, ${inScript(key)});
      location.replace(${inScript(path)});
    </script>
  </body>
</html>
`,
  };
}

/** A text as a literal of a script within HTML. */
function inScript(text: string): string {
  return JSON.stringify(text).replaceAll("<", "\\u003c");
}
