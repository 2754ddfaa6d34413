import type { TestProject } from "vitest/node";
import { startNatsServer } from "./nats-server.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** URL of the NATS server that the suites share. */
    natsUrl: string;
  }
}

/** Starts one NATS server for all suites that run over NATS. */
export default async function startShared(project: TestProject): Promise<() => Promise<void>> {
  const server = await startNatsServer();
  project.provide("natsUrl", server.url);
  return () => server.stop();
}
