#!/usr/bin/env node
import { Command } from "commander";
import { packageVersion } from "../package-files.ts";
import { printPasswordHash } from "./hash-password.ts";
import { serve } from "./serve.ts";

const program = new Command("trading-admin")
  .description("Administrative API of a trading engine")
  .version(packageVersion());

program
  .command("serve")
  .description("serve the API; without a configuration file, the demo in the folder .demo")
  .option("--config <file>", "application.yaml to use")
  .action(({ config }: { config?: string }) => serve(config));

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
