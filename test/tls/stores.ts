import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Password of the stores and keys, unless their README.md says otherwise. */
export const PASSWORD = "changeit";

/** The password of `key-password.p12`'s key and of one key in `keytool.jks`. */
export const OTHER_PASSWORD = "other-password";

/** Path of a file in `stores`; how it was made is in the README.md there. */
export function pathOf(name: string): string {
  return fileURLToPath(new URL(`stores/${name}`, import.meta.url));
}

export function bytesOf(name: string): Buffer {
  return readFileSync(pathOf(name));
}

export function textOf(name: string): string {
  return readFileSync(pathOf(name), "utf8");
}
