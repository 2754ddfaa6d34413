import type { HttpDocument } from "./documents.ts";
import { escaped, htmlPage } from "./page-files.ts";

/** In the colours of the pages, light and dark. */
const STYLE = `
:root { color-scheme: light dark; --page: #e6ebf2; --panel: #fff; --line: #c3ccd8; --text: #0b1420; --quiet: #435063; --link: #1b5e9e; }
@media (prefers-color-scheme: dark) {
  :root { --page: #0d1217; --panel: #151c24; --line: #2b3642; --text: #e3e9ef; --quiet: #9dabba; --link: #82bdf5; }
}
body { margin: 0; padding: 0 12px; background: var(--page); color: var(--text); font: 14px/1.5 system-ui, "Segoe UI", Roboto, Arial, sans-serif; }
main { max-width: 28rem; margin: 12vh auto; padding: 8px 24px 16px; background: var(--panel); border: 1px solid var(--line); border-radius: 8px; }
h1 { font-size: 18px; }
p { color: var(--quiet); }
a { color: var(--link); font-weight: 600; }
`;

/**
 * Where "Log out" leads: over TLS and on loopback the browser then forgets the credentials that it has sent (W3C, "Clear Site Data"). `back`
 * is the page to log in at again, as seen from there.
 */
export function loggedOutPage(path: string, name: string | undefined, back: string): HttpDocument {
  const page = htmlPage(path, () => text(name, back), STYLE);
  return { ...page, headersFromHere: { "Clear-Site-Data": '"cookies"' } };
}

/** It loads nothing, not even its style: the browser would ask for credentials again. */
function text(name: string | undefined, back: string): string {
  const heading = name === undefined ? "Logged out" : `Logged out of ${escaped(name)}`;
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${heading}</title>
    <link rel="icon" href="data:,">
    <style>${STYLE}</style>
  </head>
  <body>
    <main>
      <h1>${heading}</h1>
      <p>The browser has forgotten user and password. Over plain HTTP to another machine it keeps them until it is closed.</p>
      <p>A page of <code>trading-admin console</code> or <code>docs</code> is closed: run the command again to open it again.</p>
      <p><a href="${back}">Log in again</a></p>
    </main>
  </body>
</html>
`;
}
