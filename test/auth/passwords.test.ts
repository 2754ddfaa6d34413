import bcrypt from "bcrypt";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { HashThreads } from "../../src/auth/passwords/hash-threads.ts";
import { unmangle } from "../../src/auth/passwords/mangled.ts";
import { matchesDigest, UnusablePasswordError } from "../../src/auth/passwords/password-hash.ts";
import { hashPassword } from "../../src/auth/passwords/scrypt.ts";
import { readPassword } from "../../src/auth/passwords/stored-password.ts";
import { messageOf } from "./access-files.ts";

const threads = new HashThreads();
afterAll(() => threads.close());

/** Whether a `<password>` with the text `stored` accepts `password`. */
async function accepts(stored: string, password: string): Promise<boolean> {
  const reading = readPassword(stored).password;
  if (reading.kind === "hash") return reading.hash.matches(password, threads);
  return reading.kind === "text" && matchesDigest(password, reading.digest);
}

const vectors = [
  ["secret", "EVcaa4173c96ca24ac"],
  ["correct horse battery staple", "EV032534e5dd19806e223bf740c17d49e188559b030f4dc65e8c5c601de991f20a"],
  ["пароль-Ω", "EV26afb513af185cc6943aa86299afa24a"],
  ["12345678", "EV251203dd604ab7bcc3458d50361e62fe"],
] as const;

describe("D-UAC 7: mangled passwords", () => {
  test.each(vectors)("are decoded: %s", async (password, mangled) => {
    expect(await accepts(mangled, password)).toBe(true);
    expect(await accepts(`EV${mangled.slice(2).toUpperCase()}`, password)).toBe(true);
    expect(await accepts(mangled, mangled)).toBe(false);
    expect(await accepts(mangled, `${password} `)).toBe(false);
    expect(await accepts(mangled, "???????")).toBe(false);
  });

  test("may be a key of the LDAP file, with its bind name as the passphrase", () => {
    expect(unmangle("bf7dd819ac77a44f", "CN=svc-ember,OU=Service,DC=example,DC=test")).toBe("s3rvice");
    expect(unmangle("bf7dd819ac77a44f")).toBeUndefined();
  });

  test.each([
    ["bad padding", "EV288a0f99bdb1d03e"],
    ["not UTF-8", "EV69d490199e129e10"],
    ["cut off", "EV032534e5dd19806e223bf740"],
    ["an odd number of digits", "EVcaa4173c96ca24acb"],
  ])("are refused if they cannot be decoded: %s", async (_name, mangled) => {
    const message = await messageOf(() => readPassword(mangled));
    expect(message).toMatch(/the password starts with EV and cannot be decoded/);
    expect(message).not.toContain(mangled.slice(2, 8));
  });

  test.each(["EVE", "EVEREST", "EVil", "EV", "EVcaa4173c96ca24xy", "evcaa4173c96ca24ac"])(
    "do not include %s, which is plain text, with a warning",
    async (password) => {
      expect(await accepts(password, password)).toBe(true);
      expect(readPassword(password).warning).toMatch(/the password is plain text/);
      expect(readPassword(password).warning?.includes("EV is not followed")).toBe(password.startsWith("EV"));
    },
  );

  test("property: any hex is decoded or not, but never breaks the reader", () => {
    const hex = fc.uint8Array({ maxLength: 48 }).map((bytes) => Buffer.from(bytes).toString("hex"));
    fc.assert(
      fc.property(hex, (text) => {
        expect(["string", "undefined"]).toContain(typeof unmangle(text));
      }),
    );
  });
});

describe("D-UAC 2: plain text", () => {
  test("is compared exactly", async () => {
    expect(await accepts("Pässword", "Pässword")).toBe(true);
    for (const wrong of ["pässword", "Password", "Pässword ", "Pa\u0308ssword", ""]) {
      expect(await accepts("Pässword", wrong)).toBe(false);
    }
  });

  test("includes the white space around it, with a warning", async () => {
    expect(await accepts(" secret\n", "secret")).toBe(false);
    expect(await accepts(" secret\n", " secret\n")).toBe(true);
    expect(readPassword(" secret\n").warning).toMatch(/the white space around it counts/);
  });

  test.each(["$5 note", "pa$$word", "$", "$x$y"])("is what %s is, not a hash", async (password) => {
    expect(await accepts(password, password)).toBe(true);
  });

  test.each([
    "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHQ$aGFzaA",
    "$6$rounds=5000$salt$hash",
    "$1$salt$hash",
    "$2x$10$abcdefghijklmnopqrstuu",
    "$pbkdf2-sha256$29000$salt$hash",
    "$apr1$salt$hash",
    "$y$j9T$salt$hash",
    "$P$B55D6LjfHDkINU5wF.v2BuuzO0/XPk/",
    "$S$DlDvDjfHDkINU5wF.v2BuuzO0/XPk/abcdef",
    "pbkdf2_sha256$260000$salt$hash",
    "bcrypt_sha256$$2b$12$abcdefghijklmnopqrstuu",
    "scrypt:32768:8:1$salt$hash",
    "SCRAM-SHA-256$4096:c2FsdA==$c3RvcmVk:c2VydmVy",
    "*6C8989366EAF75BB670AD8EA7A7FC1176A95CEF4",
    "md5a6343a68d964ca596d9752250d54bb8a",
    "ENC(G6N718UuyPE5bHyWKyuLQSm02auQPUtm)",
  ])("D-UAC 8: is not what a hash of another kind becomes: that is refused: %s", (stored) => {
    expect(() => readPassword(stored)).toThrow(UnusablePasswordError);
  });
});

/** Of the documentation of Spring Security 6, "Password Storage": all are `password`. Apache License 2.0. */
const SPRING = {
  bcrypt: "{bcrypt}$2a$10$dXJ3SW6G7P50lGmMkkmwe.20cQQubK3.HZWzG3YB1tlRy.fqvM/BG",
  noop: "{noop}password",
  pbkdf2: "{pbkdf2}5d923b44a6d129f3ddf3e3c8d29412723dcbde72445e8ef6bf3b508fbf17fa4ed4d6b99ca763d8dc",
  scrypt:
    "{scrypt}$e0801$8bWJaSu2IKSn9Z9kM+TPXfOc/9bdYSrN1oD9qfVThWEwdRTnO7re7Ei+fUZRJ68k9lTyuTeUp4of4g24hHnazw==$OAOec05+bXxvuu/1qZ6NUR+xQYvYv7BeL1QxwRpY5Pc=",
  sha256: "{sha256}97cde38028ad898ebc02e690819fa220e88c62e0699403e94fff291cfffaf8410849f27605abcbc0",
};

describe("D-UAC 16: passwords with the id of an encoder in front", () => {
  test("are taken as Spring takes them: {bcrypt}", async () => {
    for (const stored of [SPRING.bcrypt, ` ${SPRING.bcrypt}\n`, SPRING.bcrypt.replace("$2a$", "$2y$")]) {
      expect(await accepts(stored, "password")).toBe(true);
      expect(await accepts(stored, "passwort")).toBe(false);
      expect(await accepts(stored, stored)).toBe(false);
      expect(await accepts(stored, stored.trim().slice("{bcrypt}".length))).toBe(false);
    }
    expect(readPassword(SPRING.bcrypt).warning).toBeUndefined();
  });

  test("are taken as Spring takes them: {noop}, which also lets a password look like something else", async () => {
    expect(await accepts(SPRING.noop, "password")).toBe(true);
    expect(await accepts(SPRING.noop, SPRING.noop)).toBe(false);
    expect(readPassword(SPRING.noop).warning).toMatch(/the password is plain text/);
    for (const password of ["{SHA}x", "$6$a$b", "EVcaa4173c96ca24ac", SPRING.bcrypt, "{noop}x", " x "]) {
      expect(await accepts(`{noop}${password}`, password)).toBe(true);
      expect(await accepts(`{noop}${password}`, "secret")).toBe(false);
    }
  });

  test.each([
    SPRING.pbkdf2,
    SPRING.scrypt,
    SPRING.sha256,
    "{argon2}$argon2id$v=19$m=4096,t=3,p=1$c2FsdA$aGFzaA",
    "{SHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=",
    "{SSHA}bMjRPgdvtRdnVCU3jHrTWcGhGQhcBlDz",
    "{CRYPT}$6$salt$hash",
    "{MD5}X03MO1qnZdYdgyfeuILPmQ==",
    "{BCRYPT}$2a$10$dXJ3SW6G7P50lGmMkkmwe.20cQQubK3.HZWzG3YB1tlRy.fqvM/BG",
    "{bcrypt}password",
    "{bcrypt}$2x$10$dXJ3SW6G7P50lGmMkkmwe.20cQQubK3.HZWzG3YB1tlRy.fqvM/BG",
    "{}password",
    "{noop}",
    " {vault}x",
  ])("refuse the file in any other form: %s", (stored) => {
    expect(() => readPassword(stored)).toThrow(UnusablePasswordError);
  });

  test("a password of as many hexadecimal digits as a digest has is taken, and the warning says so", async () => {
    const digest = "5f4dcc3b5aa765d61d8327deb882cf99";
    expect(await accepts(digest, digest)).toBe(true);
    expect(readPassword(digest).warning).toMatch(/if it is a digest, the digest itself is now the password/);
  });

  test.each(["{", "}", "{open", "a{b}", "pa{noop}ss"])("are not meant by %s, which is plain text", async (password) => {
    expect(await accepts(password, password)).toBe(true);
  });
});

describe("D-UAC 2: scrypt", () => {
  test("matches the third vector of RFC 7914, section 12", async () => {
    const hash = Buffer.from(
      "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887",
      "hex",
    );
    const stored = `$scrypt$ln=14,r=8,p=1$U29kaXVtQ2hsb3JpZGU$${hash.toString("base64").replace(/=+$/, "")}`;
    expect(await accepts(stored, "pleaseletmein")).toBe(true);
    expect(await accepts(stored, "pleaseletmeout")).toBe(false);
  });

  test("is what hashPassword makes, with a new salt each time", async () => {
    const [one, other] = await Promise.all([hashPassword("pässword:ok"), hashPassword("pässword:ok")]);
    expect(one).toMatch(/^\$scrypt\$ln=15,r=8,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(one).not.toBe(other);
    expect(await accepts(one, "pässword:ok")).toBe(true);
    expect(await accepts(`\n  ${one}\n`, "pässword:ok")).toBe(true);
    expect(await accepts(one, "password:ok")).toBe(false);
    expect(await accepts(one, one)).toBe(false);
    expect(readPassword(one).warning).toBeUndefined();
  });

  test.each(["", "with\nline", "tab\t", "\u0000"])("D-UAC 1: is not made of %j by hashPassword", async (password) => {
    await expect(hashPassword(password)).rejects.toThrow(/The password/);
  });

  const salt = "c2FsdHNhbHQ";
  const hash = "aGFzaGhhc2hoYXNoaGFzaA";
  test("has the smallest accepted hash", () => {
    expect(readPassword(`$scrypt$ln=1,r=1,p=1$${salt}$${hash}`).password.kind).toBe("hash");
  });

  test.each([
    ["gigabytes", `$scrypt$ln=20,r=8,p=1$${salt}$${hash}`],
    ["gigabytes by block size", `$scrypt$ln=14,r=99,p=1$${salt}$${hash}`],
    ["minutes by parallelism", `$scrypt$ln=17,r=8,p=99$${salt}$${hash}`],
    ["a cost beyond all numbers", `$scrypt$ln=99,r=99,p=99$${salt}$${hash}`],
    ["a cost that its block size forbids", `$scrypt$ln=16,r=1,p=1$${salt}$${hash}`],
    ["no cost", `$scrypt$ln=0,r=8,p=1$${salt}$${hash}`],
    ["a parameter in front with zero", `$scrypt$ln=04,r=8,p=1$${salt}$${hash}`],
    ["parameters in another order", `$scrypt$r=8,ln=4,p=1$${salt}$${hash}`],
    ["a short salt", `$scrypt$ln=4,r=8,p=1$c2FsdA$${hash}`],
    ["a short hash", `$scrypt$ln=4,r=8,p=1$${salt}$aGFzaA`],
    ["a hash that is too long", `$scrypt$ln=4,r=8,p=1$${salt}$${"A".repeat(88)}`],
    ["padding", `$scrypt$ln=4,r=8,p=1$${salt}=$${hash}`],
    ["the URL alphabet", `$scrypt$ln=4,r=8,p=1$c2FsdHNhbH_$${hash}`],
    ["stray bits at the end", `$scrypt$ln=4,r=8,p=1$c2FsdHNhbHR$${hash}`],
    ["no hash", `$scrypt$ln=4,r=8,p=1$${salt}`],
    ["something behind it", `$scrypt$ln=4,r=8,p=1$${salt}$${hash} x`],
    ["nothing but the name", "$scrypt$"],
  ])("refuses %s", (_name, stored) => {
    expect(() => readPassword(stored)).toThrow(UnusablePasswordError);
  });
});

describe("D-UAC 2: bcrypt", () => {
  test("compares the first 72 bytes of a password, as other programs do that made the hash from those", async () => {
    const stored = await bcrypt.hash("ä".repeat(40), 4);
    for (const right of ["ä".repeat(36), "ä".repeat(40), `${"ä".repeat(36)}another ending`]) {
      expect(await accepts(stored, right)).toBe(true);
    }
    expect(await accepts(stored, `${"ä".repeat(35)}another ending`)).toBe(false);
  });

  test.each(["$2a$", "$2b$", "$2y$"])("accepts %s", async (prefix) => {
    const stored = (await bcrypt.hash("geheim", 4)).replace("$2b$", prefix);
    expect(await accepts(stored, "geheim")).toBe(true);
    expect(await accepts(stored, "Geheim")).toBe(false);
    expect(readPassword(stored).warning).toBeUndefined();
  });

  test("accepts a hash made by jBCrypt", async () => {
    const stored = "$2a$06$If6bvum7DFjUnE9p2uDeDu0YHzrHM6tf.iqN8.yx.jNN1ILEf7h0i";
    expect(await accepts(stored, "abc")).toBe(true);
    expect(await accepts(stored, "abd")).toBe(false);
    expect(readPassword(stored).password).toMatchObject({ kind: "hash", hash: { work: "bcrypt cost=06" } });
  });

  const digest = "ykIB.HODQ3WDTdf8K5ONcOJTbzRdexU0uLBk93xzY49rnhpzY9coK";
  test.each([
    ["cut off", `$2b$10$${digest.slice(1)}`],
    ["too long", `$2b$10$${digest}A`],
    ["a foreign character", `$2b$10$${digest.replace(".", "+")}`],
    ["a cost below the least", `$2b$03$${digest}`],
    ["a cost of minutes", `$2b$17$${digest}`],
    ["a cost of one digit", `$2b$9$${digest}`],
  ])("refuses %s", (_name, stored) => {
    expect(() => readPassword(stored)).toThrow(UnusablePasswordError);
  });
});

describe("a decoy", () => {
  test.each([
    ["scrypt", "$scrypt$ln=4,r=8,p=1$c2FsdHNhbHQ$aGFzaGhhc2hoYXNoaGFzaA"],
    ["bcrypt", "$2y$04$ykIB.HODQ3WDTdf8K5ONcOJTbzRdexU0uLBk93xzY49rnhpzY9coK"],
  ])("works like a hash of %s and matches nothing", async (_name, stored) => {
    const { password } = readPassword(stored);
    if (password.kind !== "hash") throw new Error("expected a hash");
    const decoy = password.hash.decoy();
    expect(decoy.work).toBe(password.hash.work);
    expect(await decoy.matches("secret", threads)).toBe(false);
    expect(await decoy.matches("", threads)).toBe(false);
  });
});
