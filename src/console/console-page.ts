import { BASE_PATH } from "../core/conventions.ts";
import { builtFile } from "../files/package-files.ts";
import type { HttpDocument } from "../http/documents.ts";
import { htmlPage, pageFile } from "../http/page-files.ts";
import { userDocument } from "../http/user-document.ts";
import { pageText } from "./page-text.ts";

/** Where the console is; all that it loads is below. */
export const CONSOLE_PATH = "/console";

/** How the console is served. */
export interface ConsoleOptions {
  /** Path of the API below the mount point; `/api/admin/v1` unless a host mounts it elsewhere. */
  readonly basePath?: string | undefined;
  /** Whether the interactive page (`docsPage`) is served beside it, and linked. */
  readonly docs?: boolean | undefined;
}

/**
 * Makes the console: `/console` and what it loads below `/console/`. It shows and controls what the API beside it does, with the
 * same credentials.
 *
 * @example
 * adminHandler(api, { authenticator, documents: consolePage() });
 */
export function consolePage({ basePath = BASE_PATH, docs = false }: ConsoleOptions = {}): HttpDocument[] {
  return [
    htmlPage(CONSOLE_PATH, pageText({ basePath, docs })),
    pageFile(`${CONSOLE_PATH}/console.js`, builtFile("console-page/console.js")),
    pageFile(`${CONSOLE_PATH}/console.css`, builtFile("console-page/console.css")),
    userDocument(`${CONSOLE_PATH}/user.json`),
  ];
}
