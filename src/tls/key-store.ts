import { CONVERT, KeyMaterialError, type KeyStore, type StoreFile, type StoreFormat } from "./key-material.ts";

/**
 * Reads a key store; its content says which format it has, since Java too reads either under both names (JDK security
 * property `keystore.type.compat`).
 *
 * @throws KeyMaterialError when it is not such a store, is damaged, or has another password.
 */
export async function readKeyStore(store: StoreFile): Promise<KeyStore> {
  // The readers are loaded only by who has such a store.
  if (formatOf(store) === "JKS") return (await import("./jks.ts")).readJks(store);
  return (await import("./pkcs12.ts")).readPkcs12(store);
}

function formatOf({ file, content }: StoreFile): StoreFormat {
  const magic = content.subarray(0, 4).toString("hex");
  if (magic === "feedfeed") return "JKS";
  // A DER or BER sequence.
  if (magic.startsWith("30")) return "PKCS12";
  throw new KeyMaterialError("store", `${file}: ${describeOther(content, magic)}`);
}

function describeOther(content: Buffer, magic: string): string {
  if (content.length === 0) return "the file is empty";
  if (magic === "cececece") return `this is a JCEKS store, which is not supported; ${CONVERT}`;
  if (content.includes("-----BEGIN ")) return "this is a PEM file and no key store; name it as certificate instead";
  return "this is neither a PKCS12 nor a JKS key store";
}
