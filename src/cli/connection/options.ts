import type { OptionDefinition } from "../command/definition.ts";

const OPTIONS: readonly OptionDefinition[] = [
  { flags: "--profile <name>", description: "profile of the configuration file to use", env: "TRADING_ADMIN_PROFILE" },
  {
    flags: "--url <url>",
    description:
      "where the gateway is, http://127.0.0.1:8988 unless a profile says otherwise; several separated by commas",
    env: "TRADING_ADMIN_URL",
  },
  { flags: "--user <name>", description: "user of HTTP Basic", env: "TRADING_ADMIN_USER" },
  {
    flags: "--password-file <file>",
    description: "file with the password, - for standard input; without it TRADING_ADMIN_PASSWORD, or a prompt",
    env: "TRADING_ADMIN_PASSWORD_FILE",
  },
  {
    flags: "--token-file <file>",
    description: "file with an access token, - for standard input; without it TRADING_ADMIN_TOKEN",
  },
  { flags: "--token-url <url>", description: "token endpoint, for the client credentials grant" },
  { flags: "--client-id <id>", description: "client id for the token endpoint" },
  { flags: "--client-secret-file <file>", description: "file with the client secret for the token endpoint" },
  { flags: "--scope <scopes>", description: "scopes to ask the token endpoint for, separated by blanks" },
  { flags: "--audience <name>", description: "audience to ask it for, where it takes one as audience" },
  { flags: "--resource <uri>", description: "audience to ask it for, where it takes one as resource (RFC 8707)" },
  {
    flags: "--ca <file>",
    description: "PEM file of the authorities that the gateway's certificate is checked against",
  },
  { flags: "--certificate <file>", description: "PEM file of the client certificate" },
  { flags: "--private-key <file>", description: "PEM file of its private key" },
  {
    flags: "--allow-plain-http",
    description: "send credentials to an http:// address beyond this machine, readable on the way",
  },
  { flags: "-v, --verbose", description: "show requests with their ids, statuses and times on standard error" },
];

/** Options of every command that talks to a gateway. Secrets are in files or in the environment: other users can see arguments. */
export const CONNECTION_OPTIONS: readonly OptionDefinition[] = OPTIONS.map((option) => ({
  ...option,
  group: "Connection",
}));
