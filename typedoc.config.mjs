import { readFileSync } from "node:fs";

const { compilerOptions } = JSON.parse(readFileSync(new URL("tsconfig.json", import.meta.url), "utf8"));

/** A reference of the public entries, made from their doc strings; `tsconfig.json` says which they are. */
export default {
  name: "trading-admin-api",
  entryPoints: Object.values(compilerOptions.paths).flat(),
  // Not committed: it changes with every line of the sources.
  out: "api-reference",
  readme: "none",
  excludePrivate: true,
  disableSources: true,
  // What an option or a result names can be had from an entry, or this fails.
  treatValidationWarningsAsErrors: true,
  intentionallyNotExported: [
    "CONFIRMATIONS",
    "ReadOf",
    "engineReads",
    "extensions",
    "installationSchema",
    "settingsSchema",
  ],
  projectDocuments: ["docs/decisions.md", "docs/specification.md"],
};
