/** The optional package `ldapts`. */
export type Ldapts = typeof import("ldapts");

/**
 * Loads the LDAP client.
 *
 * @throws Error that names the package when it is not installed.
 */
export async function importLdapts(): Promise<Ldapts> {
  try {
    return await import("ldapts");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw cause;
    throw new Error("LDAP needs a package that is not installed; run: npm install ldapts@8", { cause });
  }
}
