import { readFileSync } from "node:fs";
import fc from "fast-check";
import { BerReader, FilterParser } from "ldapts";
import { describe, expect, test } from "vitest";
import { encodeFilter } from "../../../src/auth/ldap/filter.ts";
import { messageOf } from "../access-files.ts";

const { examples } = JSON.parse(readFileSync(new URL("rfc4515-examples.json", import.meta.url), "utf8")) as {
  readonly examples: readonly { readonly filter: string; readonly ber: string }[];
};

/** The filter as one element with a short length, in hexadecimal digits. */
function hexOf(text: string): string {
  const { tag, content } = encodeFilter(text);
  return Buffer.concat([Buffer.from([tag, content.length]), content]).toString("hex");
}

/** Escapes every octet. */
function escaped(value: string): string {
  return Buffer.from(value).toString("hex").replace(/../g, "\\$&");
}

describe("D-AUTH 15: LDAP filters keep their octets", () => {
  test.each(examples)("$filter of RFC 4515 is encoded as RFC 4511 says", ({ filter, ber }) => {
    expect(hexOf(filter)).toBe(ber.replaceAll(" ", ""));
  });

  test.each([
    ["(cn=Lučić)", "(cn=Lu\\c4\\8di\\c4\\87)"],
    ["cn=desk", "(cn=desk)"],
    [" (cn=desk) ", "(cn=desk)"],
    ["( & ( cn=a)\n (| (cn=b) (cn=c) ) (! (cn=d) ) )", "(&(cn=a)(|(cn=b)(cn=c))(!(cn=d)))"],
    ["(cn= a )", "(cn=\\20a\\20)"],
    ["(cn=a=b<c~d:e)", "(cn=\\61=b<c~d:e)"],
    ["(memberOf:1.2.840.113556.1.4.1941:=cn=x)", "(memberOf:1.2.840.113556.1.4.1941:=\\63n=x)"],
  ])("%s is %s", (one, other) => {
    expect(hexOf(one)).toBe(hexOf(other));
  });

  test.each([
    "(cn;lang-de=x)",
    "(2.5.4.3;binary=x)",
    "(userAccountControl:1.2.840.113556.1.4.803:=2)",
    "(cn>=a)",
    "(cn<=a)",
    "(cn~=a)",
    "(cn=*)",
    "(cn=*a)",
  ])("%s is taken", (filter) => {
    expect(encodeFilter(filter).content.length).toBeGreaterThan(0);
  });

  test.each([
    ["", "is not a comparison"],
    ["(cn=a", '")" is missing'],
    ["(cn=a))", "something follows the filter"],
    ["(cn=a)(cn=b)", "something follows the filter"],
    ["((cn=a))", "is not a comparison"],
    ["(&(cn=a)cn=b)", '")" is missing'],
    ["(!)", "`!` needs exactly one filter"],
    ["(!(cn=a)(cn=b))", "`!` needs exactly one filter"],
    ["(cn=p**n)", "two `*` stand side by side"],
    ["(cn=**)", "two `*` stand side by side"],
    ["(cn>=a*)", "in a value are written as"],
    ["(cn=a\\)", "in a value are written as"],
    ["(cn=a\\2)", "in a value are written as"],
    ["(cn=\\zz)", "in a value are written as"],
    ["(cn=\\*)", "in a value are written as"],
    ["(cn=a(b)", '")" is missing'],
    ["(=a)", "is not the name of an attribute"],
    ["(c n=a)", "is not the name of an attribute"],
    ["(cn =a)", "is not the name of an attribute"],
    ["(cn)", "is not a comparison"],
    ["(cn>a)", "is not a comparison"],
    ["(:=a)", "is not a comparison"],
    ["(:dn:=a)", "is not a comparison"],
    ["(cn:a b:=a)", "is not a matching rule"],
    ["(cn:x:y:=a)", "is not a comparison"],
    [`${"(!".repeat(200)}(cn=a)${")".repeat(200)}`, "nested deeper than 100 levels"],
  ])("%s is refused with its place", async (filter, reason) => {
    const message = await messageOf(() => encodeFilter(filter));
    expect(message).toContain(reason);
    expect(message).toMatch(/, at character \d+$/);
  });

  test("property: whatever the value, the server gets it, in long filters too", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1, maxLength: 300 }), fc.boolean(), (value, isSubstring) => {
        const { tag, content } = encodeFilter(isSubstring ? `(cn=*${escaped(value)}*)` : `(cn=${escaped(value)})`);
        const head = Buffer.from([tag, 0x84, 0, 0, content.length >> 8, content.length & 0xff]);
        const read = FilterParser.parse(new BerReader(Buffer.concat([head, content])));
        expect(read).toMatchObject(isSubstring ? { attribute: "cn", any: [value] } : { attribute: "cn", value });
      }),
    );
  });
});
