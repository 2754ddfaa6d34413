import { badgeOf, iconOf, pageTitle } from "../http/installation.ts";
import { escaped } from "../http/page-files.ts";

/** What differs from one installation of the console to another. */
export interface PageTextOptions {
  /** Further elements of the head, each on its own line. */
  readonly head: string;
  readonly basePath: string;
  readonly docs: boolean;
  /** Name of the installation. */
  readonly name: string | undefined;
  /** Colour of the installation, as CSS has it. */
  readonly colour: string | undefined;
}

/** A part of the page; `id` is that of its heading, and `hint` the last line. */
function section(id: string, title: string, hint = ""): string {
  return `<section class="panel ${id}" aria-labelledby="${id}">
          <header class="panel-head">
            <h2 id="${id}">${title}</h2>
            <div class="panel-tools" id="${id}-tools"></div>
          </header>
          <div class="panel-body" id="${id}-body"></div>${hint}
        </section>`;
}

/** Says where to change what the page only shows. */
function changedWith(command: string, operation: string, docs: boolean): string {
  const page = docs ? ` or on the <a href="swagger-ui.html#/${operation}">API page</a>` : "";
  return `
          <p class="hint">Change with <code>trading-admin ${command}</code>${page}.</p>`;
}

/** The page before its script runs: what is where. Nothing in it is inline script or style. */
export function pageText({ head, basePath, docs, name, colour }: PageTextOptions): string {
  const link = docs ? `<a href="swagger-ui.html">API</a>` : "";
  return `<!doctype html>
<html lang="en" data-base-path="${escaped(basePath)}">
  <head>
    <meta charset="utf-8">${head}
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${pageTitle(name, "Trading console")}</title>
    <link rel="stylesheet" href="console/console.css">
    <link rel="icon" href="${colour === undefined ? "data:," : iconOf(colour)}">
    <script src="console/console.js" defer></script>
  </head>
  <body>
    <div class="top" id="top">
    <header class="site">
      <h1>${badgeOf(name)}<span class="product">Trading console</span></h1>
      <p class="pill" id="pill" data-state="unknown">The trading state is not known</p>
      <div class="links">
      <nav aria-label="Parts of the page">
        <a href="#trading">Trading</a>
        <a href="#positions">Positions</a>
        <a href="#services">Services</a>
        <a href="#risk">Risk</a>
        <a href="#sessions">FIX</a>
        <a href="#given">Commands</a>
        ${link}
      </nav>
      <span class="user"><span id="user"></span> <button type="button" class="quiet" id="log-out">Log out</button></span>
      </div>
      <button type="button" class="stop halt-all" id="halt-all" disabled aria-disabled="true">Halt all trading</button>
    </header>
    <div class="status" role="status" aria-atomic="false" id="status"></div>
    </div>
    <main>
      <p class="note loading" id="loading">The script of this page has not run yet. If this line stays, halt trading with <code>trading-admin halt</code>.</p>
      ${section("trading", "Trading")}
      ${section("positions", "Positions", changedWith("positions adjust", "Positions/adjustPosition", docs))}
      <div class="rest">
        <div class="pair">
        ${section("services", "Services")}
        ${section("risk", "Risk limits", changedWith("risk set", "Risk/updateRiskTable", docs))}
        </div>
        ${section("sessions", "FIX sessions")}
      </div>
      ${section("given", "Last commands")}
    </main>
  </body>
</html>
`;
}
