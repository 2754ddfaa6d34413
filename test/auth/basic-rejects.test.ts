import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DirectoryAuthenticator, parseBasicCredentials } from "../../src/auth/basic.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { basic } from "./access-files.ts";

function encoded(bytes: string | Uint8Array): string {
  return `Basic ${Buffer.from(bytes).toString("base64")}`;
}

const rejects: Record<string, string> = {
  "an empty header": "",
  "the scheme alone": "Basic",
  "the scheme and a blank": "Basic ",
  "no blank behind the scheme": `Basic${Buffer.from("alice:secret").toString("base64")}`,
  "a tab behind the scheme": basic("alice", "secret").replace(" ", "\t"),
  "a blank in front": ` ${basic("alice", "secret")}`,
  "a blank behind": `${basic("alice", "secret")} `,
  "D-AUTH 4: a bearer token": "Bearer eyJhbGciOiJub25lIn0.e30.",
  "D-AUTH 4: a bearer token that is valid Basic": basic("alice", "secret").replace("Basic", "Bearer"),
  "another scheme": 'Digest username="alice"',
  "two credentials in one header": `${basic("alice", "secret")}, ${basic("alice", "secret")}`,
  "credentials and a parameter": `${basic("alice", "secret")}, charset="UTF-8"`,
  "no colon": encoded("alicesecret"),
  "no name": encoded(":secret"),
  "D-UAC 1: an empty password": encoded("alice:"),
  "a colon only": encoded(":"),
  "nothing encoded": "Basic ====",
  "base64 without padding": encoded("alice:secret1").replace(/=+$/, ""),
  "too much padding": `${encoded("alice:secret")}==`,
  "padding in the middle": "Basic YWxp=Y2U6c2VjcmV0",
  "stray bits at the end": "Basic YWxpY2U6c2VjcmV0MR==",
  "the URL alphabet": encoded("alice:ÿÿÿ>>>???").replaceAll("+", "-").replaceAll("/", "_"),
  "a character outside of base64": "Basic YWxpY2U6c2V$cmV0",
  "a line break in the base64": "Basic YWxpY2U6\r\nc2VjcmV0",
  "ISO-8859-1 instead of UTF-8": encoded(Buffer.from("alice:sécret", "latin1")),
  "an overlong encoding of a colon": encoded(Uint8Array.of(0x61, 0xc0, 0xba, 0x62)),
  "half a surrogate pair": encoded(Uint8Array.of(0x61, 0x3a, 0xed, 0xa0, 0x80)),
  "a character that is cut off": encoded(Uint8Array.of(0x61, 0x3a, 0x62, 0xc3)),
  "NUL in the name": encoded("alice\0:secret"),
  "NUL in the password": encoded("alice:secret\0"),
  "a line break in the name (log injection)": encoded("alice\nroot:secret"),
  "DEL in the password": encoded("alice:se\u007fcret"),
  "a C1 control character": encoded("alice:se\u009bcret"),
  "an oversized header": encoded(`alice:${"x".repeat(4096)}`),
};

/** Milliseconds that the shortest of five runs takes: what a stall of the machine adds does not count. */
function shortest(run: () => unknown): number {
  const durations = Array.from({ length: 5 }, () => {
    const start = performance.now();
    run();
    return performance.now() - start;
  });
  return Math.min(...durations);
}

describe("RFC 7617: a header that carries no credentials", () => {
  test.each(Object.entries(rejects))("is refused: %s", (_name, header) => {
    expect(parseBasicCredentials(header)).toBeUndefined();
  });

  test("gets the same challenge as any other, without a look at the directory", () => {
    const directory = { verify: () => Promise.reject(new Error("asked")) };
    const authenticator = new DirectoryAuthenticator(directory, new ManualClock());
    const challenge = { kind: "challenge", challenge: 'Basic realm="trading-admin", charset="UTF-8"' };
    for (const header of [undefined, ...Object.values(rejects)]) {
      expect(authenticator.authenticate(header)).toEqual(challenge);
    }
  });

  test("a huge header is refused without being read", () => {
    const header = `Basic ${"A".repeat(50_000_000)}`;
    expect(parseBasicCredentials(header)).toBeUndefined();
    const refusing = shortest(() => parseBasicCredentials(header));
    expect(refusing).toBeLessThan(shortest(() => Buffer.from(header, "base64")) / 4);
  });
});

describe("RFC 7617: a header that carries credentials", () => {
  test.each([
    ["the example of the RFC", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==", "Aladdin", "open sesame"],
    ["its UTF-8 example", "Basic dGVzdDoxMjPCow==", "test", "123£"],
    ["the scheme in lower case", basic("a", "b").toLowerCase().replace(/ .*/, " YTpi"), "a", "b"],
    ["the scheme in upper case", "BASIC YTpi", "a", "b"],
    ["several blanks", "Basic   YTpi", "a", "b"],
    ["colons in the password", basic("alice", "a:b::"), "alice", "a:b::"],
    ["blanks at the edges", basic(" alice ", " "), " alice ", " "],
    ["a byte order mark, which is a character of the name", basic("\uFEFFalice", "x"), "\uFEFFalice", "x"],
  ])("is read: %s", (_name, header, name, password) => {
    expect(parseBasicCredentials(header)).toEqual({ name, password });
  });

  test("property: encoded credentials come back unchanged", () => {
    const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 50 });
    const printable = text.filter((value) => !/\p{Cc}/u.test(value));
    const name = printable.filter((value) => !value.includes(":"));
    fc.assert(
      fc.property(name, printable, (user, password) => {
        expect(parseBasicCredentials(basic(user, password))).toEqual({ name: user, password });
      }),
    );
  });

  test("property: any header is read or refused, but never breaks the reader", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.uint8Array(), (text, bytes) => {
        parseBasicCredentials(text);
        parseBasicCredentials(`Basic ${text}`);
        const read = parseBasicCredentials(encoded(bytes));
        if (read) expect(Buffer.from(`${read.name}:${read.password}`)).toEqual(Buffer.from(bytes));
      }),
    );
  });
});
