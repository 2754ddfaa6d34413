import { chmodSync, chownSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GenericContainer, Wait } from "testcontainers";
import { type Manifest, only, type Rendered } from "../support/helm.ts";
import { ReadOnlyContainer } from "./gateway-container.ts";

/** Content of secrets by name, each by key. */
type Secrets = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Does by hand what a node does with the pods of a rendered chart: volumes, and the container as it is described. */
export class Kubelet {
  readonly #root = mkdtempSync(join(tmpdir(), "kubelet-"));
  readonly #spec: Manifest["spec"];
  readonly #rendered: Rendered;

  constructor(rendered: Rendered, secrets: Secrets) {
    this.#rendered = rendered;
    this.#spec = only("Deployment", rendered).spec.template.spec;
    chmodSync(this.#root, 0o755);
    for (const volume of this.#spec.volumes) this.#prepare(volume, secrets);
  }

  /** Changes the content of a volume as a node does after its secret was changed: all files together, behind a link. */
  project(volume: string, files: Readonly<Record<string, string>>): void {
    const folder = this.folder(volume);
    const version = mkdtempSync(`${folder}/..version-`);
    chmodSync(version, 0o755);
    for (const [name, content] of Object.entries(files)) writeFileSync(join(version, name), content);
    symlinkSync(version.slice(folder.length + 1), join(folder, "..data_tmp"));
    renameSync(join(folder, "..data_tmp"), join(folder, "..data"));
  }

  /** Where the files of a volume are. */
  folder(volume: string): string {
    return join(this.#root, volume);
  }

  /** The container of a pod with this name; the image is the one at hand. */
  container(image: string, podName: string): GenericContainer {
    const [{ args, env, ports, volumeMounts, securityContext }] = this.#spec.containers;
    const { runAsUser, runAsGroup, fsGroup } = this.#spec.securityContext;
    const restricted = securityContext.readOnlyRootFilesystem
      ? new ReadOnlyContainer(image)
      : new GenericContainer(image);
    const environment = Object.fromEntries(
      env.map((variable: { name: string; valueFrom: { fieldRef: { fieldPath: string } } }) => {
        if (variable.valueFrom.fieldRef.fieldPath !== "metadata.name") throw new Error("not the name of the pod");
        return [variable.name, podName];
      }),
    );
    return restricted
      .withUser(`${runAsUser}:${runAsGroup ?? fsGroup}`)
      .withCommand(args)
      .withEnvironment(environment)
      .withExposedPorts(...ports.map(({ containerPort }: { containerPort: number }) => containerPort))
      .withBindMounts(
        volumeMounts.map(({ name, mountPath, readOnly }: { name: string; mountPath: string; readOnly?: boolean }) => ({
          source: this.folder(name),
          target: mountPath,
          mode: readOnly ? ("ro" as const) : ("rw" as const),
        })),
      )
      .withWaitStrategy(Wait.forLogMessage(/^listening on /m));
  }

  remove(): void {
    rmSync(this.#root, { recursive: true, force: true });
  }

  #prepare(volume: { name: string; configMap?: object; secret?: { secretName: string } }, secrets: Secrets): void {
    const folder = this.folder(volume.name);
    mkdirSync(folder);
    const content = volume.configMap
      ? only("ConfigMap", this.#rendered).data
      : secrets[volume.secret?.secretName ?? ""];
    if (content === undefined) {
      const { fsGroup } = this.#spec.securityContext;
      chownSync(folder, 0, fsGroup);
      chmodSync(folder, 0o2775);
      return;
    }
    this.project(volume.name, content);
    for (const name of Object.keys(content)) symlinkSync(join("..data", name), join(folder, name));
  }
}
