import { execFile } from "node:child_process";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { GenericContainer } from "testcontainers";
import { ROOT, requireBuild } from "../package/build.ts";
import { importImage, librariesFor } from "./program-image.ts";

const run = promisify(execFile);

/**
 * Builds the image of `deploy/Dockerfile` on a base of the Node.js that runs the tests: what the image holds is laid out here by
 * `deploy/assemble.mjs`, as the Dockerfile's own build stage does it, since that stage needs a registry.
 */
export async function buildGatewayImage(name: string): Promise<void> {
  requireBuild();
  const base = `${name}-base`;
  const node = process.execPath;
  await importImage(base, { "usr/local/bin/node": node, ...(await librariesFor([node])) });
  const context = await mkdtemp(join(tmpdir(), "gateway-image-"));
  try {
    await cp(join(ROOT, "deploy", "Dockerfile"), join(context, "Dockerfile"));
    await run(process.execPath, [join(ROOT, "deploy", "assemble.mjs"), join(context, "image")]);
    const dockerfile = GenericContainer.fromDockerfile(context).withBuildkit();
    await dockerfile.withBuildArgs({ BASE_IMAGE: base, PACKAGE: "assembled" }).build(name, { deleteOnExit: false });
  } catch (cause) {
    throw new Error(`deploy/Dockerfile cannot be built (DEBUG=testcontainers:build shows the steps): ${cause}`, {
      cause,
    });
  } finally {
    await rm(context, { recursive: true, force: true });
  }
}
