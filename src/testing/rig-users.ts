import type { Authenticator } from "../auth/authenticator.ts";
import { basicAuthenticator } from "../auth/basic-authenticator.ts";
import type { Clock } from "../core/clock.ts";
import { PERMISSIONS, type Permission, type Principal, principal } from "../core/principal.ts";

export interface RigUser {
  /** Password for HTTP Basic. */
  readonly password: string;
  /** All permissions unless given. */
  readonly permissions?: readonly Permission[];
}

/** The users of a rig by name, logged in by HTTP Basic or named by the test. */
export class RigUsers {
  readonly #clock: Clock;
  readonly #users: Readonly<Record<string, RigUser>> | undefined;

  #authenticator: Authenticator | undefined;

  constructor(users: Readonly<Record<string, RigUser>> | undefined, clock: Clock) {
    this.#users = users;
    this.#clock = clock;
  }

  /** Made for the first request over HTTP: the memory of its throttle is large, and few rigs are asked for it. */
  get authenticator(): Authenticator {
    this.#authenticator ??= basicAuthenticator({
      realm: "test rig",
      clock: this.#clock,
      // Nothing slows a login on a frozen clock.
      maxLoginDelayMs: 0,
      verify: (name, password) => (this.#find(name)?.password === password ? this.principalOf(name) : undefined),
    });
    return this.#authenticator;
  }

  /** The principal of a user by name, any name where none are configured; a principal is its own. */
  principalOf(user: Principal | string): Principal {
    if (typeof user !== "string") return user;
    const found = this.#find(user);
    if (this.#users && !found)
      throw new TypeError(`The rig has no user ${JSON.stringify(user)}; name it in the option "users"`);
    return principal(user, found?.permissions ?? PERMISSIONS);
  }

  #find(name: string): RigUser | undefined {
    return this.#users && Object.hasOwn(this.#users, name) ? this.#users[name] : undefined;
  }
}
