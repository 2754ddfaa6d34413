import { dataSize, duration } from "../quantities.ts";
import { optional, setting } from "../setting.ts";
import {
  anyText,
  choice,
  choices,
  fileResource,
  flag,
  networkAddress,
  restricting,
  secret,
  wholeNumber,
} from "../values.ts";

export const serverSettings = {
  "server.port": setting(wholeNumber(0, 65535), "8988", "Port of the API; 0 takes any free port."),
  "server.address": setting(
    networkAddress(),
    "127.0.0.1",
    "Address to listen on; `0.0.0.0` or `::` for all interfaces.",
  ),
  "server.max-connections": setting(
    wholeNumber(16, 1_000_000),
    "8192",
    "Maximum number of concurrent connections. For a further one, the least recently used of the caller with the most is dropped, unless it is a user's command in progress.",
  ),
  "server.header-timeout": setting(
    duration("100ms", "10m"),
    "10s",
    "How long the request line and headers of a request may take to arrive.",
  ),
  "server.request-timeout": setting(
    duration("100ms", "1h"),
    "60s",
    "How long a whole request may take to arrive, its body included; raise it where large files are sent to the monitor.",
  ),
  "server.keep-alive-timeout": setting(
    duration("1s", "1h"),
    "75s",
    "How long a connection may be idle between two requests; longer than a proxy in front keeps its own.",
  ),
  "server.stall-timeout": setting(
    duration("1s", "1h"),
    "120s",
    "How long nothing may move on a connection with a request in progress, such as when a caller does not take its response.",
  ),
  "server.max-http-request-header-size": setting(
    dataSize("1KB", "1MB"),
    "16KB",
    "Largest request line with headers; larger ones, and more than 1,000 fields, are rejected with 431.",
  ),
  "server.max-url-length": setting(
    wholeNumber(256, 1_000_000),
    "8192",
    "Longest path with query; a longer one is rejected with 414.",
  ),
  "server.shutdown.drain-time": setting(
    duration("0s", "5m"),
    "2s",
    "How long the gateway continues to serve after SIGTERM, while its readiness says no and each response ends its connection. If nobody " +
      "checked readiness in the minute before, it ends as soon as there is no connection.",
  ),
};

/** Where monitoring finds health and metrics (`docs/operate/monitoring.md`). */
export const managementSettings = {
  "management.server.port": optional(
    wholeNumber(0, 65535),
    "Separate port for `/actuator`, plain HTTP, where metrics need no credentials; 0 takes any free port. Unless it is set, " +
      "`/actuator` is on the port of the API, and metrics need credentials.",
  ),
  "management.server.address": setting(
    networkAddress(),
    "127.0.0.1",
    "Address to listen on for `management.server.port`.",
  ),
};

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
    restricting(choice("none", "want", "need")),
    "none",
    "Certificates of clients: `need` refuses a connection without one, `want` asks for one. Both refuse one that the trust " +
      "store does not vouch for. Callers still have to authenticate.",
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
