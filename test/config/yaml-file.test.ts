import { describe, expect, test } from "vitest";
import { parseSettings } from "../../src/config/load.ts";
import { yamlProperties } from "../../src/config/yaml-file.ts";
import { problemsOf } from "./problems.ts";

describe("D-SET 1: a file that is not valid YAML is refused with line and column", () => {
  test.each([
    ["a tab as indentation", "server:\n\tport: 1", "2:1: Tabs are not allowed as indentation"],
    [
      "an open list",
      "server:\n  port: [1\nadmin: x\n",
      "3:1: Flow sequence in block collection must be sufficiently indented and end with a ]",
    ],
    ["a map in a map's line", "server: port: 1", "1:9: Nested mappings are not allowed in compact mappings"],
    ["a key that is given twice", "server.port: 1\nserver.port: 2", '2:1: "server.port" was already given on line 1'],
    [
      "a section that is given twice",
      "server:\n  port: 1\nserver:\n  address: x",
      '3:1: "server" was already given on line 1',
    ],
    [
      "a key that is given twice in a section",
      "admin:\n  api:\n    enabled: true\n\n    'enabled': false",
      '5:5: "admin.api.enabled" was already given on line 3',
    ],
    [
      "a key that is given twice between braces",
      "server:\n  { port: 1,\n  address: x, port: 2 }",
      '3:15: "server.port" was already given on line 2',
    ],
    ["a third time", "a: 1\na: 2\na: 3", '3:1: "a" was already given on line 1'],
    ["a key with an anchor", "&x a: 1\n&y a: 2", '2:4: "a" was already given on line 1'],
    ["a key that is a list", "? [a]\n: 1", "1:3: With stringKeys, all keys must be strings"],
    ["an unknown tag", "server.port: !port 1", "1:14: Unresolved tag: !port"],
    ["a YAML 1.1 type", "a:\n  b: !!binary aGk=", "2:6: Unresolved tag: tag:yaml.org,2002:binary"],
    ["a version that does not exist", "%YAML 1.3\n---\nserver.port: 1", "1:7: Unsupported YAML version 1.3"],
    ["a second document", "server.port: 1\n---\nserver.port: 2\n", "2:1: only one YAML document is allowed"],
    ["an alias without anchor", "server.port: *port", '1:14: no anchor "&port" is before this alias'],
  ])("such as %s", (_case, text, problem) => {
    expect(problemsOf(text)).toContain(`application.yaml:${problem}`);
  });

  test.each([["- server.port: 1"], ["8988"], ["server.port"], ['"null"']])(
    "such as a top level that is not a map: %s",
    (text) => {
      expect(problemsOf(`# comment\n${text}`)).toEqual([
        'application.yaml:2:1: the top level must be a map of settings, such as "server.port: 8988"',
      ]);
    },
  );

  test("before any key of it is checked", () => {
    expect(problemsOf("nonsense: 1\nserver: port: 1")).toEqual([
      expect.stringMatching(/^application\.yaml:2:9: Nested/),
    ]);
  });
});

describe("aliases in YAML", () => {
  test("stand for their anchors, as value and as section", () => {
    const text = "server: &server\n  port: &port 1\nadmin.api.max-body-size: *port\n";
    expect(parseSettings(text, "application.yaml")).toMatchObject({ "server.port": 1, "admin.api.max-body-size": 1 });
    expect(problemsOf("server: &server\n  port: 1\nbackup: *server\n")).toEqual([
      'application.yaml:2: unknown key "backup.port"',
    ]);
  });

  test.each([
    ["a map that holds itself", "a: &a\n  b: *a\n"],
    ["a list that holds itself", "a: &a [*a]\n"],
  ])("are refused in %s", (_case, text) => {
    expect(problemsOf(text)).toEqual([
      expect.stringMatching(/^application\.yaml:\d+:\d+: aliases are followed more than 100 times$/),
    ]);
  });

  test("are refused in lists that multiply, before they fill the memory", () => {
    const levels = Array.from({ length: 30 }, (_, level) => `l${level + 1}: &l${level + 1} [*l${level}, *l${level}]`);
    expect(problemsOf(["l0: &l0 [x]", ...levels].join("\n"))).toEqual([expect.stringContaining("more than 100 times")]);
  });

  test("are allowed 100 times, not 101", () => {
    const uses = (count: number) => `a: &a Desk\nadmin.api.projection-keys: [${Array(count).fill("*a").join(", ")}]`;
    expect(problemsOf(uses(100))).toEqual(['application.yaml:1: unknown key "a"']);
    expect(problemsOf(uses(101))).toEqual([expect.stringContaining("more than 100 times")]);
  });
});

describe("properties in YAML", () => {
  test("are dotted keys for nested maps; scalars stay as written and keep their origin", () => {
    expect(yamlProperties('a:\n  b: 007\n  c.d: [1.10, ~, {x: yes}]\n"e": null\nf: {}\n', "f.yaml")).toEqual([
      { key: "a.b", value: "007", origin: { source: "file", file: "f.yaml", line: 2, column: 3 } },
      {
        key: "a.c.d",
        value: ["1.10", null, { x: "yes" }],
        origin: { source: "file", file: "f.yaml", line: 3, column: 3 },
      },
      { key: "e", value: null, origin: { source: "file", file: "f.yaml", line: 4, column: 1 } },
      { key: "f", value: {}, origin: { source: "file", file: "f.yaml", line: 5, column: 1 } },
    ]);
  });

  test("are the same with Windows line ends and a byte order mark", () => {
    expect(yamlProperties("\uFEFFa: 1\r\nb: 2\r\n", "f.yaml")).toEqual([
      { key: "a", value: "1", origin: { source: "file", file: "f.yaml", line: 1, column: expect.any(Number) } },
      { key: "b", value: "2", origin: { source: "file", file: "f.yaml", line: 2, column: 1 } },
    ]);
  });
});
