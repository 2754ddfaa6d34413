import type { CommandDefinition, Invocation, OptionDefinition, Run } from "../command/definition.ts";

const CONFIG: OptionDefinition = { flags: "--config <file>", description: "application.yaml to use" };

/** Commands of whoever runs a gateway. */
export const GATEWAY: readonly CommandDefinition[] = [
  {
    name: "serve",
    summary: "Serve the API; without a configuration file, the demo in the folder .demo",
    options: [CONFIG],
    takesSettings: true,
    examples: [{ line: "trading-admin serve --config application.yaml", does: "serves until SIGTERM or SIGINT" }],
    load: async () => {
      const { serve } = await import("../serve.ts");
      return adapted(({ options, settings }) => serve(text(options.config), settings));
    },
  },
  {
    name: "check-config",
    summary: "Print the configuration that serve would run with, and what is wrong with it",
    options: [{ ...CONFIG, description: "application.yaml to check; without it, that of the demo" }],
    takesSettings: true,
    examples: [
      { line: "trading-admin check-config --config application.yaml", does: "starts nothing, changes nothing" },
    ],
    load: async () => {
      const { checkConfig } = await import("../check-config.ts");
      return adapted(({ options, settings }) => checkConfig(text(options.config), settings));
    },
  },
  {
    name: "health",
    summary: "Ask the gateway that runs here with this configuration whether it is alive",
    options: [{ ...CONFIG, description: "application.yaml of the gateway", required: true }],
    takesSettings: true,
    examples: [
      { line: "trading-admin health --config application.yaml", does: "as the health check of a container does" },
    ],
    load: async () => {
      const { checkHealth } = await import("../health.ts");
      return adapted(({ options, settings }) => checkHealth(text(options.config) ?? "", settings));
    },
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
        description: "PEM file of the authorities that vouch for gateways, or for the NATS server",
      },
    ],
    examples: [{ line: "trading-admin engine --listen ws://127.0.0.1:8989", does: "runs the sample installation" }],
    load: async () => {
      const { runEngine } = await import("../engine.ts");
      return adapted(({ options }) => runEngine(options as Parameters<typeof runEngine>[0]));
    },
  },
  {
    name: "audit",
    summary: "Look after the audit file of a gateway",
    commands: [
      {
        name: "verify",
        summary: "Verify the hash chain of audit files",
        arguments: [
          {
            name: "file",
            description: "the current file, which stands for its rotated files too, or several files in order",
            required: true,
            variadic: true,
          },
        ],
        options: [{ flags: "--expect-last <hash>", description: "hash that the last record must have" }],
        examples: [{ line: "trading-admin audit verify audit.jsonl", does: "exit code 1 when a record was changed" }],
        load: async () => {
          const { verifyAudit } = await import("../audit-verify.ts");
          return adapted(({ arguments: { file = [] }, options }) =>
            verifyAudit([file].flat(), options as Parameters<typeof verifyAudit>[1]),
          );
        },
      },
    ],
  },
  {
    name: "hash-password",
    summary: "Read a password from standard input and print its hash for uac-file-security.xml",
    examples: [{ line: "trading-admin hash-password", does: "asks without showing what is typed" }],
    load: async () => {
      const { printPasswordHash } = await import("../hash-password.ts");
      return adapted(printPasswordHash);
    },
  },
];

/** A command that sets its exit code itself. */
function adapted(work: (invocation: Invocation) => Promise<void>): { readonly run: Run } {
  return {
    run: async (invocation) => {
      await work(invocation);
      return undefined;
    },
  };
}

function text(value: string | boolean | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}
