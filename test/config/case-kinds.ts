/** What a setting accepts and refuses; relative paths are below `/etc/gateway`. */
export interface Cases {
  /** Text in the file and the value it becomes. */
  readonly valid: readonly (readonly [string, unknown])[];
  readonly invalid: readonly string[];
  readonly message: string;
}

export const A_PATH: Cases = {
  valid: [
    ["a.pem", "/etc/gateway/a.pem"],
    ["../a/b.pem", "/etc/a/b.pem"],
    ["/opt/a.pem", "/opt/a.pem"],
  ],
  invalid: ['""', '" "', "[a]"],
  message: "must be a path",
};

export const SOME_TEXT: Cases = {
  valid: [
    ["keycloak", "keycloak"],
    ["007", "007"],
    ["1.10", "1.10"],
    ['"true"', "true"],
  ],
  invalid: ['""', '"  "', "[keycloak]"],
  message: "must be text that is not empty",
};

export const A_FILE: Cases = {
  valid: [
    ["a.pem", "/etc/gateway/a.pem"],
    ["file:../a/b.p12", "/etc/a/b.p12"],
    ["file:///opt/a.jks", "/opt/a.jks"],
    ["FILE:/opt/a.jks", "/opt/a.jks"],
    ["/opt/a.pem", "/opt/a.pem"],
  ],
  invalid: ['""', '"file:"', "classpath:a.jks", "[a]"],
  message: "must be a path, with or without `file:`",
};

export const A_STORE_TYPE: Cases = {
  valid: [
    ["JKS", "JKS"],
    ["pkcs12", "PKCS12"],
  ],
  invalid: ["PEM", "JCEKS", "PKCS#12", '""'],
  message: "must be PKCS12 or JKS",
};

export const A_FLAG: Cases = {
  valid: [
    ["true", true],
    ["FALSE", false],
  ],
  invalid: ["yes", "0", '""'],
  message: "must be true or false",
};

export const A_WEB_ADDRESS: Cases = {
  valid: [
    ["https://login.example/realms/desk/", "https://login.example/realms/desk/"],
    ["http://127.0.0.1:8080", "http://127.0.0.1:8080"],
  ],
  invalid: ["login.example", "ftp://login.example", "https://", '""', "https://alice:secret@login.example", "[a]"],
  message: "must be an https:// URL (http:// on this machine only), without user or password",
};

export const A_PORT: Cases = {
  valid: [
    ["0", 0],
    ["65535", 65535],
    ['"8988"', 8988],
    ["+80", 80],
    ['" 80 "', 80],
    ["0080", 80],
  ],
  invalid: ["-1", "65536", "abc", "80.5", "1e3", "0x10", "true", '""', "[80]", "9".repeat(400)],
  message: "must be a whole number from 0 to 65535",
};

export const AN_ADDRESS: Cases = {
  valid: [
    ["0.0.0.0", "0.0.0.0"],
    ['"::"', "::"],
    ["fe80::1", "fe80::1"],
    ["localhost", "localhost"],
    ["gw-1.desk.local", "gw-1.desk.local"],
  ],
  invalid: ['""', '"*"', "http://localhost", "256.0.0.1", "-host", "host-", "a..b", '"a b"', '"[::1]"', "127.0.0.1:80"],
  message: "must be an IP address or a host name",
};

export const A_CAPACITY: Cases = {
  valid: [
    ["1", 1],
    ["1000000", 1_000_000],
  ],
  invalid: ["0", "-1", "1000001", "many", '""', "[1]"],
  message: "must be a whole number from 1 to 1000000",
};
