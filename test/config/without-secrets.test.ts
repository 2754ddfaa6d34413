import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseSettings } from "../../src/config/load.ts";
import { withoutSecrets } from "../../src/core/urls.ts";
import { cases } from "../support/extent.ts";
import { problemsOf } from "./problems.ts";

const SECRET = "S3CRET";

/** What is said about these settings; nothing where they are accepted. */
function messageOf(yaml: string): string {
  try {
    parseSettings(yaml, "application.yaml");
    return "";
  } catch (error) {
    return String(error);
  }
}

describe("D-LOG 7: credentials of a URL do not appear in messages", () => {
  test.each([
    ["ws://u:s3/cret@h:1", "ws://***@h:1"],
    ["ws://u:s3@cret@h:1", "ws://***@h:1"],
    ["ws://token@h", "ws://***@h"],
    ["ws://h/?token=S3CRET", "ws://h/?***"],
    ["ws://h?a=b&token=S3CRET#c", "ws://h?***"],
    ["https://h/p#access_token=S3CRET", "https://h/p#***"],
    ["h/?token=S3 CRET", "h/?***"],
    ["ws://h/?S3CRET", "ws://h/?***"],
    ["wss://h#S3CRET", "wss://h#***"],
    ["ws://h/?", "ws://h/?"],
    ['["ws://a/?t=S3\\"CRET","ws://b/"]', '["ws://a/?***","ws://b/"]'],
    ["#12ab9f", "#12ab9f"],
    ["ws:\\\\u:p@h", "ws:***@h"],
    ["ws:u:p@h", "ws:***@h"],
    ["//u:p@h", "//***@h"],
    ["ws//u:p@h", "ws//***@h"],
    ["u:p@h:1", "u:***@h:1"],
    ["nats://a:p@h1,nats://b:q@h2", "nats://***@h2"],
    ['["nats://a:p","q@h2"]', '["nats://***@h2"]'],
    ["ws://u:p\nq@h", "ws://***@h"],
    ["ws://h:1/path", "ws://h:1/path"],
    ["name@realm", "name@realm"],
    ["key: -----BEGIN PRIVATE KEY-----\nabc", "key: ***"],
  ])("since %j is shown as %j", (given, shown) => {
    expect(withoutSecrets(given)).toBe(shown);
  });

  test.each(["ws://u:S3CRET@h/", ":", "://", "?a", '"#', "//"])(
    "a long text is hidden whole, as %j over and over would take time that grows with its square",
    (part) => {
      const long = `${part.repeat(512 * 1024)}${SECRET}@h`;
      expect(withoutSecrets(long)).toBe(`"*** (${long.length} characters)"`);
    },
  );

  const junk = fc.oneof(
    fc.string({ maxLength: 8 }),
    fc.constantFrom("/", "@", ":", "//", "?", "#", "%", "%40", "\\", '"', ",", " ", "\n", "[", "]", "ws://x", "é"),
  );
  // A `$` might begin a placeholder, whose name is in messages.
  const text = fc.array(junk, { maxLength: 4 }).map((parts) => parts.join("").replaceAll("$", ""));
  const url = fc
    .tuple(fc.constantFrom("ws://", "wss://", "nats://", "http://", "https://", "ws:", "x://"), text, text, text)
    .map(([scheme, user, before, after]) => `${scheme}${user}:${before}${SECRET}${after}@host:1`);

  test("property: whatever the password holds", () => {
    fc.assert(
      fc.property(url, (given) => {
        expect(withoutSecrets(given)).not.toContain(SECRET);
        expect(withoutSecrets(JSON.stringify(given))).not.toContain(SECRET);
        expect(JSON.parse(withoutSecrets(JSON.stringify(given)))).toEqual(withoutSecrets(given));
      }),
      { numRuns: cases(2_000) },
    );
  });

  test.each([
    "admin.engine.url",
    "gateway.monitor.url",
    "spring.security.oauth2.resourceserver.jwt.issuer-uri",
    "spring.security.oauth2.client.provider.p.jwk-set-uri",
    "server.port",
    "no.such.key",
  ])("property: in what is said about %s", (key) => {
    fc.assert(
      fc.property(url, (given) => {
        expect(messageOf(`${key}: ${JSON.stringify(given)}`)).not.toContain(SECRET);
        expect(messageOf(`${key}: [x, ${JSON.stringify(given)}]`)).not.toContain(SECRET);
        expect(messageOf(`${key}: { ${JSON.stringify(given)}: x }`)).not.toContain(SECRET);
      }),
      { numRuns: 100 },
    );
  });

  test("and an engine's URL with a path that may be half a password is refused", () => {
    expect(problemsOf("admin.engine.url: ws://u:80/S3CRET@h:1")).toEqual([
      expect.stringMatching(/without user or password, is "ws:\/\/\*\*\*@h:1"$/),
    ]);
  });
});
