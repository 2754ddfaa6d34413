import { type ConnectionOptions, credsAuthenticator } from "@nats-io/transport-node";
import type { NatsConnectionOptions } from "./connection-options.ts";

/** The part of the client's options that logs in; throws `TypeError` for what no server could accept. Names no secret. */
export function loginOptions(options: NatsConnectionOptions): ConnectionOptions {
  const { token, user, password, credentials } = options;
  if ((user === undefined) !== (password === undefined)) {
    throw new TypeError("A user and a password of NATS belong together; only one of them was given");
  }
  if ([token, user, credentials].filter((way) => way !== undefined).length > 1) {
    throw new TypeError("There is more than one way to log in to NATS; give a token, or a user, or credentials");
  }
  // The client takes empty ones for none at all, and would log in without a user.
  if (token === "" || user === "") throw new TypeError("The token or user of NATS is empty");
  if (token !== undefined) return { token };
  if (user !== undefined && password !== undefined) return { user, pass: password };
  return credentials === undefined ? {} : { authenticator: credentialsAuthenticator(credentials) };
}

function credentialsAuthenticator(text: string): ReturnType<typeof credsAuthenticator> {
  const authenticator = credsAuthenticator(new TextEncoder().encode(text));
  try {
    // The client reads them when it connects, where a failure would be without a reason.
    authenticator("a nonce");
  } catch (cause) {
    throw new TypeError("The NATS credentials cannot be read; they must be the text of a .creds file", { cause });
  }
  return authenticator;
}
