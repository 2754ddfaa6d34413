import type { Run } from "../command/definition.ts";
import { connect } from "../connection/connect.ts";
import { print, terminated } from "../process.ts";
import { DocsServer } from "./docs-server.ts";

/**
 * Serves the interactive page of a gateway to one browser on this machine, and adds the credentials to its requests: a browser
 * cannot open a page with a bearer token. Runs until SIGTERM or SIGINT.
 */
export const run: Run = async ({ options }) => {
  const { address, credentials } = await connect(options);
  const docs = await DocsServer.open(address, credentials);
  const termination = terminated();
  print(`docs of ${address.origin} for one browser on this machine, until Ctrl-C\nopen ${docs.url}\n`);
  await termination;
  await docs.close();
  return undefined;
};
