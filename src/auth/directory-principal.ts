import type { Permission, Principal } from "../core/principal.ts";
import type { KnownUser, UserDirectory } from "./names.ts";

/** A user whom a directory has accepted, and who may be removed from it while their requests are in progress. */
export class DirectoryPrincipal implements Principal {
  readonly name: string;
  readonly permissions: ReadonlySet<Permission>;
  readonly authentication = "basic";
  readonly #directory: UserDirectory;
  readonly #inForce: () => UserDirectory;

  constructor({ name, permissions }: KnownUser, inForce: () => UserDirectory) {
    this.name = name;
    this.permissions = permissions;
    this.#directory = inForce();
    this.#inForce = inForce;
  }

  /** A directory that cannot be asked without a password has forgotten all users when it was replaced. */
  permissionsNow(): ReadonlySet<Permission> | undefined {
    const directory = this.#inForce();
    return directory === this.#directory ? this.permissions : directory.known?.(this.name)?.permissions;
  }
}
