import type { AdminClient } from "../../client/client.ts";
import type { PageUser } from "../../http/documents.ts";
import { ambientClient, pageFetch } from "../../pages/client.ts";
import { PageFileError } from "../../pages/words.ts";
import type { PageRecords } from "../records.ts";

export interface ConsoleApi {
  readonly client: AdminClient;
  /** The user who has opened the page, and the operations that they lack the permission for. */
  user(): Promise<PageUser>;
  /** Stops with their users, and the last commands. */
  records(): Promise<PageRecords>;
}

/** The gateway that served this page, at `root`. */
export function consoleApi(root: string, basePath: string): ConsoleApi {
  return {
    client: ambientClient(root, basePath),
    user: () => json<PageUser>(new URL("console/user.json", root)),
    records: () => json<PageRecords>(new URL("console/records.json", root)),
  };
}

async function json<T>(url: URL): Promise<T> {
  const response = await pageFetch(url, { headers: { Accept: "application/json" } }).catch((cause: unknown) => {
    throw new PageFileError(url.pathname, undefined, { cause });
  });
  if (!response.ok) throw new PageFileError(url.pathname, response.status);
  return (await response.json()) as T;
}
