import { type CommandDefinition, type OptionDefinition, options } from "../framework/definition.ts";
import { OUTPUT_OPTION } from "../output/format.ts";

const CONFIG: OptionDefinition = { flags: "--config <file>", description: "application.yaml to use" };

/** Commands for those who run a gateway. */
export const GATEWAY: readonly CommandDefinition[] = [
  {
    name: "serve",
    summary: "Serve the API; without a configuration file, the demo in the folder .demo",
    options: [CONFIG],
    takesSettings: true,
    examples: { "trading-admin serve --config application.yaml": "serves until SIGTERM or SIGINT" },
    load: () => import("../serve.ts"),
  },
  {
    name: "check-config",
    summary: "Check a configuration, and print the settings that serve would run with",
    options: [
      { ...CONFIG, description: "application.yaml to check; without it, that of the demo" },
      ...options({ "--changed": "print only settings that differ from their defaults" }),
    ],
    takesSettings: true,
    examples: {
      "trading-admin check-config --config application.yaml": "starts nothing, changes nothing",
      "trading-admin check-config --config application.yaml --changed": "only what differs from the defaults",
    },
    load: () => import("../check-config.ts"),
  },
  {
    name: "health",
    summary: "Check whether a gateway is alive: the one on this machine, or the one at a URL",
    options: [
      { ...CONFIG, description: "application.yaml of the gateway on this machine" },
      ...options({
        "--url <url>": "address of the gateway, on any machine; may have a path, such as /actuator/health/readiness",
        "--ca <file>": "PEM file of the certificate authorities trusted for the gateway at --url",
      }),
    ],
    takesSettings: true,
    examples: {
      "trading-admin health --config application.yaml": "as the health check of a container does",
      "trading-admin health --url https://gateway:8988": "asks a gateway on another machine",
    },
    load: () => import("../health.ts"),
  },
  {
    name: "engine",
    summary: "Run the simulated engine on a bus, for gateways in other processes",
    options: options({
      "--listen <url>": "serve WebSockets here: ws://127.0.0.1:8989, or wss:// with a certificate",
      "--nats <urls>": "serve on these NATS servers: nats://127.0.0.1:4222",
      "--installation <file>": "installation to run; the sample without it",
      "--fix-port <port>":
        "first port for FIX 4.4 clients, one for each order-entry gateway; 0 takes free ones, none without it",
      "--fix-host <address>": "address of the FIX ports; 127.0.0.1 unless given",
      "--token-file <file>": "file with the token that gateways must send, or that the NATS server requires",
      "--tls-certificate <file>": "PEM file of the engine's certificate",
      "--tls-private-key <file>": "PEM file of its private key",
      "--tls-ca <file>": "PEM file of the certificate authorities trusted for gateways, or for the NATS server",
    }),
    examples: { "trading-admin engine --listen ws://127.0.0.1:8989": "runs the sample installation" },
    load: () => import("../engine.ts"),
  },
  {
    name: "init",
    summary: "Write a commented application.yaml and access files with one user into this folder",
    description:
      "Writes what the current folder lacks, and overwrites nothing: beside an application.yaml the access files alone. The user has " +
      "all permissions; the random password is in its own file.",
    options: options({ "--user <name>": "name of the user; operator unless given" }),
    examples: { "mkdir gateway && cd gateway && trading-admin init": "a gateway that serve can start" },
    load: () => import("../init.ts"),
  },
  {
    name: "permissions",
    summary: "Who may do what, from the access files or LDAP entries of a configuration",
    description:
      "Reads the access files or the LDAP directory that a configuration names, as the gateway does, and prints the permissions of " +
      "each user. With an identity provider it prints the permissions of each authority: the provider decides who has it.",
    options: [{ ...CONFIG, description: "application.yaml of the gateway", required: true }, OUTPUT_OPTION],
    takesSettings: true,
    examples: {
      "trading-admin permissions --config application.yaml": "a line for each user",
      "trading-admin permissions --config application.yaml -o csv": "for a file of evidence",
    },
    load: () => import("../permissions.ts"),
  },
  {
    name: "hash-password",
    summary: "Read a password from standard input and print its hash for uac-file-security.xml",
    examples: { "trading-admin hash-password": "asks without echo" },
    load: async () => ({ run: (await import("../init.ts")).printHash }),
  },
];
