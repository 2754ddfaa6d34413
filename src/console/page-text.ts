/** What differs from one installation of the console to another. */
export interface PageTextOptions {
  readonly basePath: string;
  readonly docs: boolean;
}

/** A part of the page; `id` is that of its heading. */
function section(id: string, title: string): string {
  return `<section class="panel ${id}" aria-labelledby="${id}">
          <header class="panel-head">
            <h2 id="${id}">${title}</h2>
            <div class="panel-tools" id="${id}-tools"></div>
          </header>
          <div class="panel-body" id="${id}-body"></div>
        </section>`;
}

/** The page before its script runs: what is where. Nothing in it is inline script or style. */
export function pageText({ basePath, docs }: PageTextOptions): string {
  const link = docs ? `<a href="swagger-ui.html">API</a>` : "";
  return `<!doctype html>
<html lang="en" data-base-path="${escaped(basePath)}">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Trading console</title>
    <link rel="stylesheet" href="console/console.css">
    <link rel="icon" href="data:,">
    <script src="console/console.js" defer></script>
  </head>
  <body>
    <div class="top">
    <header class="site">
      <h1>Trading console</h1>
      <p class="pill" id="pill" data-state="unknown">The trading state is not known</p>
      <nav aria-label="Parts of the page">
        <a href="#trading">Trading</a>
        <a href="#services">Services</a>
        <a href="#risk">Risk</a>
        <a href="#positions">Positions</a>
        <a href="#sessions">FIX</a>
        ${link}
      </nav>
      <span class="user" id="user"></span>
      <button type="button" class="stop halt-all" id="halt-all">Halt all trading</button>
    </header>
    <div class="lost" role="alert" id="lost"></div>
    <div class="status" role="status" aria-atomic="false" id="status"></div>
    </div>
    <main>
      <noscript><p class="note">This page needs JavaScript.</p></noscript>
      ${section("trading", "Trading")}
      <div class="columns">
        <div class="column">
        ${section("services", "Services")}
        ${section("risk", "Risk limits")}
        </div>
        ${section("positions", "Positions")}
      </div>
      ${section("sessions", "FIX sessions")}
    </main>
  </body>
</html>
`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}
