/** Where a Docker engine answers. */
export interface EngineAddress {
  readonly host: string;
}

/** Lets `testcontainers` use this engine, in this process. */
export function useEngine({ host }: EngineAddress): void {
  process.env.DOCKER_HOST = host;
  // Ports are published on the loopback address; in a container itself the library would look for them elsewhere.
  process.env.TESTCONTAINERS_HOST_OVERRIDE = "127.0.0.1";
  // The library's clean-up container comes from a registry; the suites stop what they start.
  process.env.TESTCONTAINERS_RYUK_DISABLED = "true";
}
