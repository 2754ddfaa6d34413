import { describe, inject, it } from "vitest";
import type { Images } from "../support/docker-global.ts";
import { useEngine } from "../support/use-docker.ts";

/**
 * Describes what runs in containers. Where no Docker engine answers, one test says so instead: the same cases pass with the
 * local servers, in the suites of the other projects.
 */
export function describeContainers(name: string, define: (images: Images) => void): void {
  const docker = inject("docker");
  if ("reason" in docker) {
    describe(name, () => {
      it(`containers: no engine answers here (${docker.reason}); the local servers cover the same cases`, () => {});
    });
    return;
  }
  useEngine(docker);
  describe(name, () => define(docker.images));
}
