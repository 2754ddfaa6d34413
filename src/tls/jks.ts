import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { type Certificate, decrypt, type KeyEntry as JksKey, parseJks } from "jks-js";
import { CONVERT, type KeyEntry, KeyMaterialError, type KeyStore, type StoreFile } from "./key-material.ts";

/**
 * Reads a JKS store, as `keytool -storetype JKS` writes it. Each key has its own password.
 *
 * @throws KeyMaterialError when the store is damaged or has another password.
 */
export function readJks(store: StoreFile): KeyStore {
  const keys: KeyEntry[] = [];
  const trusted: X509Certificate[] = [];
  for (const entry of entriesOf(store)) {
    if ("chain" in entry) {
      const { alias } = entry;
      const chain = entry.chain.map((certificate) => certificateOf(store, alias, certificate));
      keys.push({ alias, chain, privateKey: (password) => decryptKey(store, entry, password) });
    } else {
      trusted.push(certificateOf(store, entry.alias, entry.cert));
    }
  }
  return { format: "JKS", keys, trusted };
}

function entriesOf({ file, content, password = "" }: StoreFile): ReturnType<typeof parseJks> {
  try {
    return parseJks(content, password);
  } catch (cause) {
    // The only thing that depends on the password is the digest at the end, over password and content.
    if ((cause as Error).message === "Password verification failed") {
      throw new KeyMaterialError("store password", `it is not the password of ${file}, or the file was changed`, {
        cause,
      });
    }
    throw new KeyMaterialError("store", `${file}: the JKS key store is damaged`, { cause });
  }
}

function decryptKey({ file }: StoreFile, { alias, protectedPrivateKey }: JksKey, password: string): KeyObject {
  try {
    return createPrivateKey(decrypt(protectedPrivateKey, password));
  } catch (cause) {
    if ((cause as Error).message === "Cannot recover key") throw cause;
    const reason = `the key "${alias}" is of a kind that is not supported in a JKS store`;
    throw new KeyMaterialError("store", `${file}: ${reason}; ${CONVERT}`, { cause });
  }
}

function certificateOf({ file }: StoreFile, alias: string, { value }: Certificate): X509Certificate {
  try {
    return new X509Certificate(value);
  } catch (cause) {
    throw new KeyMaterialError("store", `${file}: a certificate of "${alias}" cannot be read`, { cause });
  }
}
