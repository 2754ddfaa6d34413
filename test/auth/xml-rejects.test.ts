import { describe, expect, test } from "vitest";
import { SecurityFileError } from "../../src/auth/security-file-error.ts";
import { parseXml, type XmlElement } from "../../src/auth/xml.ts";
import { LoopTurns } from "../../src/core/load/turns.ts";
import { messageOf } from "./access-files.ts";

const rejects: Record<string, [xml: string, message: string | RegExp]> = {
  "an entity bomb": [
    '<!DOCTYPE c [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>\n<config>&b;</config>',
    "f.xml:1:1: a DOCTYPE is not allowed; remove it",
  ],
  "an external entity": [
    '<?xml version="1.0"?>\n  <!DOCTYPE c [<!ENTITY x SYSTEM "file:///etc/passwd">]><config>&x;</config>',
    "f.xml:2:3: a DOCTYPE is not allowed; remove it",
  ],
  "a DOCTYPE without entities": ["<!DOCTYPE config><config/>", "f.xml:1:1: a DOCTYPE is not allowed; remove it"],
  "an external DTD": ['<!DOCTYPE config SYSTEM "http://attacker.test/a.dtd"><config/>', /DOCTYPE/],
  "an unclosed DOCTYPE": ["<!DOCTYPE config [", /not well-formed/],
  "an undeclared entity": ["<config>&nbsp;</config>", "f.xml:1:14: not well-formed XML: undefined entity"],
  "an entity called like a property of objects": ["<config>&constructor;</config>", /undefined entity/],
  "a reference to the NUL character": ["<config>&#0;</config>", /malformed character entity/],
  "a reference to half a surrogate pair": ["<config>&#xD800;</config>", /malformed character entity/],
  "a bare ampersand": ["<config>a & b</config>", /not well-formed/],
  "a control character": ["<config>\u0001</config>", /disallowed character/],
  "an undeclared prefix": ["<u:config/>", "f.xml:1:11: not well-formed XML: unbound namespace prefix"],
  "an undeclared prefix of an attribute": ['<config u:id="1"/>', /unbound namespace prefix/],
  "a duplicate attribute": ['<user id="alice" id="bob"/>', "f.xml:1:27: not well-formed XML: duplicate attribute"],
  "an attribute twice under two prefixes": ['<c xmlns:p="u" xmlns:q="u" p:x="1" q:x="2"/>', /duplicate attribute/],
  "an attribute without quotes": ["<user id=alice/>", /unquoted attribute value/],
  "an unclosed element": ["<config><users>", /unclosed tag/],
  "elements closed crosswise": ["<a><b></a></b>", /unexpected close tag/],
  "a truncated end tag": ["<config>text</config", /not well-formed/],
  "two roots": ["<config/>\n<config/>", "f.xml:2:8: not well-formed XML: documents may contain only one root"],
  "text behind the root": ["<config/>x", /text data outside of root node/],
  "text before the root": ["x<config/>", /text data outside of root node/],
  "an empty file": ["", /must contain a root element/],
  "an XML declaration that is not first": [' <?xml version="1.0"?><config/>', /not well-formed/],
  "XML 1.1": ['<?xml version="1.1"?><config/>', /only XML 1.0 is supported/],
  "another encoding": ['<?xml version="1.0" encoding="ISO-8859-1"?><config/>', /only UTF-8 is supported/],
  "deep nesting": ["<a>".repeat(100_000), "f.xml:1:49: elements are nested deeper than 16 levels"],
  "a huge file": [`<a>${" ".repeat(4 * 1024 * 1024)}</a>`, "f.xml: the file is larger than 4194304 characters"],
};

function parse(xml: string): Promise<XmlElement> {
  return parseXml("f.xml", xml, new LoopTurns());
}

describe("D-UAC 4: a file that is not well-formed is refused", () => {
  test.each(Object.entries(rejects))("if it has %s", async (_name, [xml, message]) => {
    await expect(parse(xml)).rejects.toThrow(SecurityFileError);
    expect(await messageOf(() => parse(xml))).toMatch(message);
  });

  test.each([
    "<password>top<hidden-part b>",
    "<password>top<hidden-part>x</password>",
    "<p>top<hidden-part:b/></p>",
    '<p a="1" hidden-part="x" hidden-part="y"/>',
    "<p>top&hidden-part;</p>",
    "<p></hidden-part>",
    '<p xmlns="">x<hidden-part',
  ])("and the message does not quote a secret with markup in it: %s", async (xml) => {
    expect(await messageOf(() => parse(xml))).not.toContain("hidden");
  });
});

describe("D-UAC 4: what is well-formed is read exactly", () => {
  test("with names, attributes and positions of elements", async () => {
    const root = await parse('<?xml version="1.0" encoding="utf-8"?>\r\n<a>\r\n  <b\n id = "1"/>\n\t<c/></a>');
    expect(root).toMatchObject({ name: "a", position: { line: 2, column: 1 } });
    const [b, c] = root.children;
    expect(b).toMatchObject({ name: "b", position: { line: 3, column: 3 } });
    expect(b?.attributes).toEqual([{ name: "id", namespace: "", value: "1" }]);
    expect(c?.position).toEqual({ line: 5, column: 2 });
  });

  test("with text from entities, CDATA and comments", async () => {
    const root = await parse("<a> x &lt;&amp;&#x41;<![CDATA[<b>&]]><!-- no -->y\n</a>");
    expect(root.text).toBe(" x <&A<b>&y\n");
    expect(root.children).toEqual([]);
  });

  test("with prefixes and default namespaces", async () => {
    const root = await parse('<p:a xmlns:p="urn:1" xmlns="urn:2" p:k="v"><b/></p:a>');
    expect([root.namespace, root.children[0]?.namespace]).toEqual(["urn:1", "urn:2"]);
    expect(root.attributes).toEqual([{ name: "k", namespace: "urn:1", value: "v" }]);
  });
});
