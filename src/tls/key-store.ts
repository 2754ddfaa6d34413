import type { KeyObject, X509Certificate } from "node:crypto";
import { KeyMaterialError } from "./key-material-error.ts";

/** A private key of a store, with the certificates for it. */
export interface KeyEntry {
  /** As the store spells it; in Java letters of an alias have no case. */
  readonly alias: string;
  /** The certificate of the key, then those of its issuers as far as the store has them; empty if it has none. */
  readonly chain: readonly X509Certificate[];
  /**
   * Decrypts the key.
   *
   * @throws KeyMaterialError when a key of this kind cannot be read; another Error when the password is not that of the key.
   */
  privateKey(password: string): KeyObject | Promise<KeyObject>;
}

/** What is in a Java key store or a PKCS #12 file. */
export interface KeyStore {
  readonly format: StoreFormat;
  /** In the order of the file. */
  readonly keys: readonly KeyEntry[];
  /** Certificates that belong to no key. */
  readonly trusted: readonly X509Certificate[];
}

/** Formats of key stores, as Java names them. */
type StoreFormat = "PKCS12" | "JKS";

/** A file that holds a store. */
export interface StoreFile {
  /** For messages. */
  readonly file: string;
  readonly content: Buffer;
  /** Undefined: a JKS store is read without checking that it is whole, a PKCS #12 file with the empty password. */
  readonly password: string | undefined;
}

/** What to do with a store that cannot be read here, but by Java. */
export const CONVERT = "convert it with keytool -importkeystore -deststoretype PKCS12";

/**
 * Reads a key store; its content says which format it has, since Java too reads either under both names (JDK security
 * property `keystore.type.compat`).
 *
 * @throws KeyMaterialError when it is no such store, is damaged, or has another password.
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
