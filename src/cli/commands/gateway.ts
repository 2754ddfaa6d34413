import type { CommandDefinition, OptionDefinition } from "../command/definition.ts";
import { OUTPUT_OPTION } from "../output/format.ts";

const CONFIG: OptionDefinition = { flags: "--config <file>", description: "application.yaml to use" };

/** Commands for those who run a gateway. */
export const GATEWAY: readonly CommandDefinition[] = [
  {
    name: "serve",
    summary: "Serve the API; without a configuration file, the demo in the folder .demo",
    options: [CONFIG],
    takesSettings: true,
    examples: [{ line: "trading-admin serve --config application.yaml", does: "serves until SIGTERM or SIGINT" }],
    load: () => import("../serve.ts"),
  },
  {
    name: "check-config",
    summary: "Print the configuration that serve would run with, and what is wrong with it",
    options: [
      { ...CONFIG, description: "application.yaml to check; without it, that of the demo" },
      { flags: "--changed", description: "print only settings that differ from their defaults" },
    ],
    takesSettings: true,
    examples: [
      { line: "trading-admin check-config --config application.yaml", does: "starts nothing, changes nothing" },
      {
        line: "trading-admin check-config --config application.yaml --changed",
        does: "only what differs from the defaults",
      },
    ],
    load: () => import("../check-config.ts"),
  },
  {
    name: "health",
    summary: "Ask a gateway whether it is alive: the one that runs here with a configuration, or the one at a URL",
    options: [
      { ...CONFIG, description: "application.yaml of the gateway on this machine" },
      {
        flags: "--url <url>",
        description: "where the gateway is, from anywhere; with a path of its own, such as /actuator/health/readiness",
      },
      {
        flags: "--ca <file>",
        description: "PEM file of the certificate authorities that are trusted for the gateway at --url",
      },
    ],
    takesSettings: true,
    examples: [
      { line: "trading-admin health --config application.yaml", does: "as the health check of a container does" },
      { line: "trading-admin health --url https://gateway:8988", does: "asks a gateway on another machine" },
    ],
    load: () => import("../health.ts"),
  },
  {
    name: "engine",
    summary: "Run the simulated engine on a bus, for gateways in other processes",
    options: [
      {
        flags: "--listen <url>",
        description: "serve WebSockets here: ws://127.0.0.1:8989, or wss:// with a certificate",
      },
      { flags: "--nats <urls>", description: "serve on these NATS servers: nats://127.0.0.1:4222" },
      { flags: "--installation <file>", description: "installation to run; the sample without it" },
      {
        flags: "--token-file <file>",
        description: "file with the token that gateways have to show, or that the NATS server asks for",
      },
      { flags: "--tls-certificate <file>", description: "PEM file of the engine's certificate" },
      { flags: "--tls-private-key <file>", description: "PEM file of its private key" },
      {
        flags: "--tls-ca <file>",
        description: "PEM file of the certificate authorities that are trusted for gateways, or for the NATS server",
      },
    ],
    examples: [{ line: "trading-admin engine --listen ws://127.0.0.1:8989", does: "runs the sample installation" }],
    load: () => import("../engine.ts"),
  },
  {
    name: "init",
    summary: "Write a commented application.yaml and access files with one user into this folder",
    description:
      "Writes into the current folder and overwrites nothing: when one of the files is there, none is written. The user may do " +
      "everything; the password is random and in a file of its own.",
    options: [{ flags: "--user <name>", description: "name of the user; operator unless given" }],
    examples: [{ line: "mkdir gateway && cd gateway && trading-admin init", does: "a gateway that serve can start" }],
    load: () => import("../setup/init.ts"),
  },
  {
    name: "permissions",
    summary: "Who may do what, from the access files or LDAP entries of a configuration",
    description:
      "Reads the access files or the LDAP directory that a configuration names, as the gateway does, and prints the permissions of " +
      "each user. With an identity provider it prints what each authority stands for: the provider decides who has it.",
    options: [{ ...CONFIG, description: "application.yaml of the gateway", required: true }, OUTPUT_OPTION],
    takesSettings: true,
    examples: [
      { line: "trading-admin permissions --config application.yaml", does: "a line for each user" },
      { line: "trading-admin permissions --config application.yaml -o csv", does: "for a file of evidence" },
    ],
    load: () => import("../permissions/report.ts"),
  },
  {
    name: "hash-password",
    summary: "Read a password from standard input and print its hash for uac-file-security.xml",
    examples: [{ line: "trading-admin hash-password", does: "asks without showing what is typed" }],
    load: () => import("../hash-password.ts"),
  },
];
