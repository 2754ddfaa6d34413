import { optional, setting } from "../setting.ts";
import { anyText, choice, choices, fileResource, flag, secret } from "../values.ts";

const STORE_FORMAT = "The file's content decides, as in Java; a contradiction is logged.";

/** HTTPS, with the settings of Spring Boot (specification, "Enabling"). */
export const sslSettings = {
  "server.ssl.enabled": optional(
    flag(),
    "`false` serves plain HTTP whatever else is set here. If it is not set: HTTPS when there is a key store or a certificate.",
  ),
  "server.ssl.key-store": optional(
    fileResource(),
    "Key store with the server's private key and certificate, PKCS12 or JKS. Read again when it changes.",
  ),
  "server.ssl.key-store-password": optional(secret(), "Password of the key store."),
  "server.ssl.key-store-type": optional(choice("PKCS12", "JKS"), `Format of the key store. ${STORE_FORMAT}`),
  "server.ssl.key-alias": optional(
    anyText(),
    "Name of the key in the key store, in any case; the first key of the file unless it is set.",
  ),
  "server.ssl.key-password": optional(
    secret(),
    "Password of the private key, in the key store (that of the store unless it is set) or in an encrypted PEM file.",
  ),
  "server.ssl.certificate": optional(
    fileResource(),
    "PEM file with the server's certificate, then those of its issuers, instead of a key store. Read again when it changes.",
  ),
  "server.ssl.certificate-private-key": optional(
    fileResource(),
    "PEM file with the private key of that certificate; may be the same file.",
  ),
  "server.ssl.enabled-protocols": setting(
    choices("TLSv1.2", "TLSv1.3"),
    "TLSv1.2,TLSv1.3",
    "Versions of TLS that are spoken.",
  ),
  "server.ssl.client-auth": setting(
    choice("none", "want", "need"),
    "none",
    "Certificates of clients: `need` refuses a connection without one, `want` asks for one. Either refuses one that the trust " +
      "store does not vouch for. Callers authenticate all the same.",
  ),
  "server.ssl.trust-store": optional(
    fileResource(),
    "Key store with the certificate authorities trusted for clients, PKCS12 or JKS. Read again when it changes.",
  ),
  "server.ssl.trust-store-password": optional(secret(), "Password of the trust store."),
  "server.ssl.trust-store-type": optional(choice("PKCS12", "JKS"), `Format of the trust store. ${STORE_FORMAT}`),
  "server.ssl.trust-certificate": optional(
    fileResource(),
    "PEM file with the certificate authorities trusted for clients, instead of a trust store.",
  ),
};
