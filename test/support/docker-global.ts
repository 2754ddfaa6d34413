import { getContainerRuntimeClient, ImageName } from "testcontainers";
import type { TestProject } from "vitest/node";
import { type DockerEngine, findDockerEngine } from "./docker-engine.ts";
import { buildGatewayImage } from "./gateway-image.ts";
import { buildSlapdImage } from "./slapd-image.ts";
import { type EngineAddress, useEngine } from "./use-docker.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The Docker engine that the container suites share and the images they run, or why there is none. */
    docker: ProvidedDocker;
  }
}

/** Either all that the container suites need, or the reason why no engine answers. */
export type ProvidedDocker = (EngineAddress & { readonly images: Images }) | { readonly reason: string };

/** Names of images. */
export interface Images {
  readonly gateway: string;
  readonly slapd: string;
}

/** Finds or starts a Docker engine for the container suites and makes the images they run. */
export default async function shareDocker(project: TestProject): Promise<() => Promise<void>> {
  const engine = await engineOrReason();
  if (typeof engine === "string") {
    process.stdout.write(`containers: no engine answers here (${engine}); the local servers cover the same cases\n`);
    project.provide("docker", { reason: engine });
    return async () => {};
  }
  process.stdout.write(`containers: Docker engine ${engine.how}\n`);
  useEngine(engine);
  const images = { gateway: imageName("gateway"), slapd: imageName("slapd") };
  const end = async (): Promise<void> => {
    await removeImages(Object.values(images));
    await engine.stop();
  };
  try {
    await buildGatewayImage(images.gateway);
    await buildSlapdImage(images.slapd);
  } catch (error) {
    await end();
    throw error;
  }
  project.provide("docker", { host: engine.host, images });
  return end;
}

async function engineOrReason(): Promise<DockerEngine | string> {
  try {
    return await findDockerEngine();
  } catch (error) {
    // The suites say so, each of them.
    return (error as Error).message;
  }
}

async function removeImages(names: readonly string[]): Promise<void> {
  const { image, container } = await getContainerRuntimeClient();
  const all = names.flatMap((name) => [name, `${name}-base`]);
  for (const name of all) {
    if (await image.exists(ImageName.fromString(name)))
      await container.dockerode.getImage(name).remove({ force: true });
  }
}

/** Images of several runs may be on one engine. */
function imageName(what: string): string {
  return `trading-admin-test-${process.pid}:${what}`;
}
