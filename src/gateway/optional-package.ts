import { ConfigurationError } from "../config/configuration-error.ts";

/** Imports what needs packages that are optional: `setting` asks for it, `packages` are their names. */
export async function installed<T>(load: () => Promise<T>, setting: string, packages: string): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw cause;
    throw new ConfigurationError(`${setting} needs a package that is not installed; run: npm install ${packages}`, {
      cause,
    });
  }
}
