#!/usr/bin/env node
import { Command } from "commander";
import { packageVersion } from "../package-files.ts";
import { type AuditVerifyOptions, verifyAudit } from "./audit/verify.ts";
import { callOperation } from "./call.ts";
import { type CheckConfigOptions, checkConfig } from "./check-config.ts";
import { type ConnectionOptions, withConnection } from "./connection.ts";
import { serveDocs } from "./docs/docs.ts";
import { type EngineOptions, runEngine } from "./engine.ts";
import { printPasswordHash } from "./hash-password.ts";
import { checkHealth, type HealthOptions } from "./health.ts";
import { serve } from "./serve.ts";
import { type InitOptions, init } from "./setup/init.ts";

interface ConfigOption {
  readonly config?: string;
}

/** Arguments `--key=value`, which commander leaves to the command; anything else is refused, as commander would do it. */
function settingArguments(command: Command): string[] {
  const other = command.args.find((argument) => !/^--[^=]+=/.test(argument));
  if (other === undefined) return command.args;
  const what = other.startsWith("-") ? `unknown option '${other.replace(/=.*$/s, "")}'` : "too many arguments";
  return command.error(`error: ${what}; settings are written --key=value, such as --server.port=0`);
}

const program = new Command("trading-admin")
  .description("Administrative API of a trading engine")
  .version(packageVersion());

program
  .command("serve")
  .description("serve the API; without a configuration file, the demo in the folder .demo")
  .option("--config <file>", "application.yaml to use")
  .argument(
    "[--key=value...]",
    "settings that go before those of the environment and the file, such as --server.port=0",
  )
  .allowUnknownOption()
  .action((_, { config }: ConfigOption, command: Command) => serve(config, settingArguments(command)));

program
  .command("check-config")
  .description("print the configuration that serve would run with, and what is wrong with it")
  .option("--config <file>", "application.yaml to check; without it, that of the demo")
  .option("--changed", "print only settings that differ from their defaults")
  .argument("[--key=value...]", "settings as for serve")
  .allowUnknownOption()
  .action((_, options: CheckConfigOptions, command: Command) => checkConfig(options, settingArguments(command)));

program
  .command("health")
  .description("ask a gateway whether it is alive: the one that runs here with this configuration, or the one at a URL")
  .option("--config <file>", "application.yaml of the gateway")
  .option(
    "--url <url>",
    "where the gateway is, from anywhere; with a path of its own, such as /actuator/health/readiness",
  )
  .option("--ca <file>", "PEM file of the authorities that vouch for the gateway at --url, besides those of Node")
  .argument("[--key=value...]", "settings as for serve")
  .allowUnknownOption()
  .action((_, options: HealthOptions, command: Command) => checkHealth(options, settingArguments(command)));

withConnection(program.command("call"))
  .description("call an operation of a gateway and print its output; exit code 3 when a command may have been applied")
  .argument("<operation>", "such as haltTrading; operationId of the OpenAPI document")
  .argument("[input]", "its input as a JSON object; - reads it from standard input", "{}")
  .action((operation: string, input: string, options: ConnectionOptions) => callOperation(operation, input, options));

withConnection(program.command("docs"))
  .description("open the interactive page of a gateway on this machine, with your credentials, bearer tokens too")
  .action((options: ConnectionOptions) => serveDocs(options));

program
  .command("engine")
  .description("run the simulated engine on a bus, for gateways in other processes")
  .option("--listen <url>", "serve WebSockets here: ws://127.0.0.1:8989, or wss:// with a certificate")
  .option("--nats <urls>", "serve on these NATS servers: nats://127.0.0.1:4222")
  .option("--installation <file>", "installation to run; the sample without it")
  .option("--token-file <file>", "file with the token that gateways have to show, or that the NATS server asks for")
  .option("--tls-certificate <file>", "PEM file of the engine's certificate")
  .option("--tls-private-key <file>", "PEM file of its private key")
  .option("--tls-ca <file>", "PEM file of the authorities that vouch for gateways, or for the NATS server")
  .action((options: EngineOptions) => runEngine(options));

program
  .command("audit")
  .description("look after the audit file of a gateway")
  .command("verify")
  .description("verify the hash chain of audit files")
  .argument("<file...>", "the current file, which stands for its rotated files too, or several files in order")
  .option("--expect-last <hash>", "hash that the last record must have")
  .action((files: string[], options: AuditVerifyOptions) => verifyAudit(files, options));

program
  .command("init")
  .description("write a commented application.yaml and access files with one user into this folder; overwrites nothing")
  .option("--user <name>", "name of the user, who may do everything", "operator")
  .action((options: InitOptions) => init(options));

program
  .command("hash-password")
  .description("read a password from standard input and print its hash for uac-file-security.xml")
  .action(printPasswordHash);

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`trading-admin: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
