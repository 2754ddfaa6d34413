import { checkedAddress } from "../../client/address.ts";
import { CONSOLE_PATH } from "../../console/console-page.ts";
import { PAGE_PATH } from "../../openapi/page/docs-page.ts";
import { type ConnectionOptions, credentialsOf } from "../connection.ts";
import { print, terminated } from "../process.ts";
import { DocsServer } from "./docs-server.ts";

/** The pages of a gateway, by the name of the command that opens each; from one a link leads to the other. */
const PAGES = { docs: PAGE_PATH, console: CONSOLE_PATH } as const;

/**
 * Serves the pages of a gateway to one browser on this machine, and adds the credentials to its requests: a browser cannot open a
 * page with a bearer token. Runs until SIGTERM or SIGINT.
 */
export async function servePage(name: keyof typeof PAGES, options: ConnectionOptions): Promise<void> {
  const baseUrl = checkedAddress("--url", options.url);
  const docs = await DocsServer.open(baseUrl, credentialsOf(options, process.env), PAGES[name]);
  const termination = terminated();
  print(`${name} of ${baseUrl.origin} for one browser on this machine, until Ctrl-C\nopen ${docs.url}\n`);
  await termination;
  await docs.close();
}
