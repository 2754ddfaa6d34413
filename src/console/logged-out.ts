import { escaped } from "../http/page-files.ts";

/** In the colours of the console, light and dark. */
export const LOGGED_OUT_STYLE = `
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

/** The page after a log-out. It loads nothing, not even its style: the browser would ask for credentials again. */
export function loggedOutText(name: string | undefined): string {
  const heading = name === undefined ? "Logged out" : `Logged out of ${escaped(name)}`;
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${heading}</title>
    <link rel="icon" href="data:,">
    <style>${LOGGED_OUT_STYLE}</style>
  </head>
  <body>
    <main>
      <h1>${heading}</h1>
      <p>The browser has forgotten user and password. Over plain HTTP to another machine it keeps them until it is closed.</p>
      <p>A console of <code>trading-admin console</code> is closed: run the command again to open it again.</p>
      <p><a href="../console">Log in again</a></p>
    </main>
  </body>
</html>
`;
}
