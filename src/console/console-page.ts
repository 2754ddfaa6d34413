import { BASE_PATH } from "../core/conventions.ts";
import { FLAG, ifGiven, objectWith, optionsOf, textLike } from "../core/options.ts";
import { builtFile } from "../files/package-files.ts";
import { type HttpDocument, redirect, userDocument } from "../http/documents.ts";
import { checkColour, inColour } from "../http/installation.ts";
import { loggedOutPage } from "../http/logged-out.ts";
import { htmlPage, pageFile } from "../http/page-files.ts";
import { pageText } from "./page-text.ts";
import { type RecordedApi, recordsDocument } from "./records.ts";

/** Where the console is; all that it loads is below. */
export const CONSOLE_PATH = "/console";

export interface ConsoleOptions {
  /** Path of the API below the mount point; `/api/admin/v1` unless a host mounts it elsewhere. */
  readonly basePath?: string | undefined;
  /** Whether the interactive page (`docsPage`) is served beside it, and linked. */
  readonly docs?: boolean | undefined;
  /** The API beside it: the page then says who stopped what, and lists the last commands. */
  readonly api?: RecordedApi | undefined;
  /** Name of the installation, in header and title: who has two of them open sees which is which. */
  readonly name?: string | undefined;
  /** Colour of the installation, in header and icon: a name of CSS or `#rrggbb`. */
  readonly colour?: string | undefined;
}

const checked = optionsOf<ConsoleOptions>("consolePage", {
  basePath: ifGiven(textLike('"/api/admin/v1"')),
  docs: ifGiven(FLAG),
  api: ifGiven(objectWith("lastCommands", "new AdminApi({ transport, audit })")),
  name: ifGiven(textLike('"LONDON PROD"')),
  colour: ifGiven(textLike('"crimson"')),
});

/**
 * Makes the console: `/console` and what it loads below `/console/`. It shows and controls what the API beside it does, with the
 * same credentials.
 *
 * @example
 * adminHandler(api, { authenticator, documents: consolePage({ api }) });
 */
export function consolePage(options: ConsoleOptions = {}): HttpDocument[] {
  const { basePath = BASE_PATH, docs = false, api, name, colour } = checked(options);
  checkColour(colour);
  return [
    htmlPage(CONSOLE_PATH, (head) => pageText({ head, basePath, docs, name, colour })),
    redirect(`${CONSOLE_PATH}/`, `..${CONSOLE_PATH}`),
    pageFile(`${CONSOLE_PATH}/console.js`, builtFile("console-page/console.js")),
    inColour(pageFile(`${CONSOLE_PATH}/console.css`, builtFile("console-page/console.css")), colour),
    userDocument(`${CONSOLE_PATH}/user.json`),
    recordsDocument(`${CONSOLE_PATH}/records.json`, api),
    loggedOutPage(`${CONSOLE_PATH}/logged-out`, name, `..${CONSOLE_PATH}`),
  ];
}
