import { checkedAddress } from "../../client/address.ts";
import { type ConnectionOptions, credentialsOf } from "../connection.ts";
import { print, terminated } from "../process.ts";
import { DocsServer } from "./docs-server.ts";

/**
 * Serves the interactive page of a gateway to one browser on this machine, and adds the credentials to its requests: a browser
 * cannot open a page with a bearer token. Runs until SIGTERM or SIGINT.
 */
export async function serveDocs(options: ConnectionOptions): Promise<void> {
  const baseUrl = checkedAddress("--url", options.url);
  const docs = await DocsServer.open(baseUrl, credentialsOf(options, process.env));
  const termination = terminated();
  print(`docs of ${baseUrl.origin} for one browser on this machine, until Ctrl-C\nopen ${docs.url}\n`);
  await termination;
  await docs.close();
}
