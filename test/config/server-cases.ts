import { A_FILE, A_FLAG, A_PORT, A_STORE_TYPE, AN_ADDRESS, type Cases, SOME_TEXT } from "./case-kinds.ts";

/** The cases of the settings of the ports. */
export const SERVER_CASES = {
  "server.port": A_PORT,
  "server.address": AN_ADDRESS,
  "management.server.port": A_PORT,
  "management.server.address": AN_ADDRESS,
  "server.ssl.enabled": A_FLAG,
  "server.ssl.key-store": A_FILE,
  "server.ssl.key-store-password": SOME_TEXT,
  "server.ssl.key-store-type": A_STORE_TYPE,
  "server.ssl.key-alias": SOME_TEXT,
  "server.ssl.key-password": SOME_TEXT,
  "server.ssl.certificate": A_FILE,
  "server.ssl.certificate-private-key": A_FILE,
  "server.ssl.enabled-protocols": {
    valid: [
      ["TLSv1.3", ["TLSv1.3"]],
      ["TLSv1.2, tlsv1.3", ["TLSv1.2", "TLSv1.3"]],
      ["[TLSv1.2]", ["TLSv1.2"]],
    ],
    invalid: ["TLSv1.1", "TLS", "SSLv3", '""', "[]", "TLSv1.2,"],
    message: "must be one or more of TLSv1.2, TLSv1.3",
  },
  "server.ssl.client-auth": {
    valid: [
      ["none", "none"],
      ["WANT", "want"],
      ["need", "need"],
    ],
    invalid: ["true", "required", '""'],
    message: "must be none, want or need",
  },
  "server.ssl.trust-store": A_FILE,
  "server.ssl.trust-store-password": SOME_TEXT,
  "server.ssl.trust-store-type": A_STORE_TYPE,
  "server.ssl.trust-certificate": A_FILE,
  "server.max-connections": {
    valid: [
      ["16", 16],
      ["1000000", 1_000_000],
    ],
    invalid: ["15", "1000001", "many"],
    message: "must be a whole number from 16 to 1000000",
  },
  "server.header-timeout": {
    valid: [
      ["100", 100],
      ["10m", 600_000],
    ],
    invalid: ["99ms", "11m", "soon"],
    message: "must be a duration from 100ms to 10m",
  },
  "server.request-timeout": {
    valid: [
      ["100ms", 100],
      ["1h", 3_600_000],
    ],
    invalid: ["99ms", "61m", "soon"],
    message: "must be a duration from 100ms to 1h",
  },
  "server.keep-alive-timeout": {
    valid: [
      ["1s", 1000],
      ["1h", 3_600_000],
    ],
    invalid: ["999ms", "61m", "soon"],
    message: "must be a duration from 1s to 1h",
  },
  "server.stall-timeout": {
    valid: [
      ["1s", 1000],
      ["1h", 3_600_000],
    ],
    invalid: ["999ms", "61m", "soon"],
    message: "must be a duration from 1s to 1h",
  },
  "server.max-http-request-header-size": {
    valid: [
      ["1KB", 1024],
      ["1MB", 1_048_576],
    ],
    invalid: ["1023", "1025KB", "8k"],
    message: "must be a size from 1KB to 1MB",
  },
  "server.max-url-length": {
    valid: [
      ["256", 256],
      ["1000000", 1_000_000],
    ],
    invalid: ["255", "1000001", "1KB"],
    message: "must be a whole number from 256 to 1000000",
  },
  "server.shutdown.drain-time": {
    valid: [
      ["0", 0],
      ["5m", 300_000],
    ],
    invalid: ["-1", "6m", "soon"],
    message: "must be a duration from 0s to 5m",
  },
} satisfies Readonly<Record<string, Cases>>;
