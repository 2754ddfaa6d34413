import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { importImage, librariesFor } from "./program-image.ts";
import { findSlapd } from "./slapd-binary.ts";

/** Where the image holds its parts, as Debian installs them. */
export const SLAPD_IN_IMAGE = { path: "/usr/sbin/slapd", schemas: "/etc/ldap/schema", modules: "/usr/lib/ldap" };

/** Where servers listen in their containers. */
export const SLAPD_PORT_IN_IMAGE = 3389;

/** Makes an image of the OpenLDAP server that the local tests use. */
export async function buildSlapdImage(name: string): Promise<void> {
  const { path, schemas, modules, environment } = await findSlapd();
  const loaded = (await readdir(modules)).filter((file) => file.endsWith(".so")).map((file) => join(modules, file));
  await importImage(name, {
    [SLAPD_IN_IMAGE.path]: path,
    [SLAPD_IN_IMAGE.schemas]: schemas,
    [SLAPD_IN_IMAGE.modules]: modules,
    ...(await librariesFor([path, ...loaded], environment)),
  });
}
