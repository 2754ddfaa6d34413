declare module "oidc-provider" {
  import type { IncomingMessage, ServerResponse } from "node:http";

  /** As much of the package, which has no types of its own, as the tests use. */
  export default class Provider {
    constructor(issuer: string, configuration: Readonly<Record<string, unknown>>);
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  }
}
