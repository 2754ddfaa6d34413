import { type OptionDefinition, options } from "../framework/definition.ts";

const OPTIONS: readonly OptionDefinition[] = [
  { flags: "--profile <name>", description: "profile of the configuration file to use", env: "TRADING_ADMIN_PROFILE" },
  {
    flags: "--url <url>",
    description:
      "address of the gateway, http://127.0.0.1:8988 unless a profile has another; several separated by commas",
    env: "TRADING_ADMIN_URL",
  },
  { flags: "--user <name>", description: "user of HTTP Basic", env: "TRADING_ADMIN_USER" },
  {
    flags: "--password-file <file>",
    description: "file with the password, - for standard input; without it TRADING_ADMIN_PASSWORD, or a prompt",
    env: "TRADING_ADMIN_PASSWORD_FILE",
  },
  ...options({
    "--token-file <file>": "file with an access token, - for standard input; without it TRADING_ADMIN_TOKEN",
    "--token-url <url>": "token endpoint, for the client credentials grant",
    "--client-id <id>": "client id for the token endpoint",
    "--client-secret-file <file>": "file with the client secret for the token endpoint",
    "--scope <scopes>": "scopes to request, separated by spaces",
    "--audience <name>": "audience to request, where the endpoint takes audience",
    "--resource <uri>": "audience to request, where the endpoint takes resource (RFC 8707)",
    "--ca <file>": "PEM file of the authorities that the gateway's certificate is checked against",
    "--certificate <file>": "PEM file of the client certificate",
    "--private-key <file>": "PEM file of its private key",
    "--allow-plain-http": "send credentials to an http:// address on another machine, in plain text",
    "-v, --verbose": "show requests with their ids, statuses and times on standard error",
  }),
];

/** Options of every command that talks to a gateway. Secrets are in files or in the environment: other users can see arguments. */
export const CONNECTION_OPTIONS: readonly OptionDefinition[] = OPTIONS.map((option) => ({
  ...option,
  group: "Connection",
}));

/** Options of a command that is a client of an engine's bus. */
export const BUS_TLS_OPTIONS: readonly OptionDefinition[] = options({
  "--tls-ca <file>": "PEM file of the certificate authorities trusted for the engine, or for the NATS server",
  "--tls-certificate <file>": "PEM file of the client certificate",
  "--tls-private-key <file>": "PEM file of its private key",
});
