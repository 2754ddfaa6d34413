import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { ROOT, requireBuild } from "../package/build.ts";
import { CLEAN_ENVIRONMENT, type Consumer, openConsumer } from "../package/consumer.ts";
import { type ServingProcess, startServing } from "./serving-process.ts";

/** Source of an example: one that runs as it is ends in `.mjs`, others are TypeScript. */
export function exampleSource(name: string): string {
  return readFileSync(join(ROOT, "examples", name.endsWith(".mjs") ? name : `${name}.ts`), "utf8");
}

/** An example, compiled, in its own project that has the package installed. */
export interface InstalledExample {
  readonly consumer: Consumer;
  readonly file: string;
}

/** Installs an example; `change` may alter its code. */
export function installExample(name: string, change = (code: string): string => code): InstalledExample {
  requireBuild();
  const consumer = openConsumer();
  if (name.endsWith(".mjs")) return { consumer, file: consumer.write(name, change(exampleSource(name))) };
  const { outputText } = ts.transpileModule(exampleSource(name), {
    fileName: `${name}.ts`,
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true },
  });
  return { consumer, file: consumer.write(`${name}.js`, change(outputText)) };
}

/** What an example is started with. */
export interface Start {
  readonly args?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

/** Starts an example on any free port, in its own project, and waits until it prints its address. */
export async function serveExample(name: string, { args = [], environment = {} }: Start = {}): Promise<ServingProcess> {
  const { consumer, file } = installExample(name);
  const options = { cwd: consumer.folder, env: { ...CLEAN_ENVIRONMENT, PORT: "0", ...environment } };
  try {
    const serving = await startServing(
      process.execPath,
      [file, ...args],
      options,
      /((?:http|ws):\/\/127\.0\.0\.1:\d+)(?=["/\s])/,
    );
    return { ...serving, close: () => serving.close().finally(() => consumer.close()) };
  } catch (error) {
    consumer.close();
    throw error;
  }
}
