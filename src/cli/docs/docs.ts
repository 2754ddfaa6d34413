import { CONSOLE_PATH } from "../../console/console-page.ts";
import { PAGE_PATH } from "../../openapi/page/docs-page.ts";
import type { Run } from "../command/definition.ts";
import { connect } from "../connection/connect.ts";
import { print, terminated } from "../process.ts";
import { DocsServer } from "./docs-server.ts";

/** The pages of a gateway, by the name of the command that opens each; from one a link leads to the other. */
const PAGES: Readonly<Record<string, string>> = { docs: PAGE_PATH, console: CONSOLE_PATH };

/**
 * Serves the pages of a gateway to one browser on this machine, and adds the credentials to its requests: a browser cannot open a
 * page with a bearer token. Runs until SIGTERM or SIGINT.
 */
export const run: Run = async ({ command: { name }, options }) => {
  const { address, credentials } = await connect(options);
  const docs = await DocsServer.open(address, credentials, PAGES[name] ?? PAGE_PATH);
  const termination = terminated();
  print(`${name} of ${address.origin} for one browser on this machine, until Ctrl-C\nopen ${docs.url}\n`);
  await termination;
  await docs.close();
  return undefined;
};
