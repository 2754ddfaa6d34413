import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AccessRule } from "../../src/auth/access-rules.ts";
import type { Principals } from "../../src/auth/names.ts";
import { PERMISSIONS, type Permission } from "../../src/core/principal.ts";
import { cases } from "../support/extent.ts";
import { allow, deny, messageOf, permissionsOf, readRules, ruleDocument } from "./access-files.ts";

const principals: Principals = {
  users: new Map([
    ["alice", "Alice"],
    ["bob", "bob"],
    ["carol", "carol"],
  ]),
  groups: new Map([
    ["desk", new Set(["alice", "bob"])],
    ["empty", new Set<string>()],
  ]),
  ambiguous: new Map([["twin", new Set(["bob"])]]),
  incomplete: new Map(),
};

async function evaluate(...rules: readonly string[]): Promise<{
  alice: string[];
  bob: string[];
  carol: string[];
  warnings: string[];
}> {
  const file = await readRules(ruleDocument(...rules));
  const { permissions, warnings } = await permissionsOf(file.rules, principals);
  const of = (user: string) => [...(permissions.get(user) ?? [])];
  return { alice: of("alice"), bob: of("bob"), carol: of("carol"), warnings: [...file.warnings, ...warnings] };
}

const all: readonly Permission[] = PERMISSIONS;
const HALT = "HALT_RESUME_TRADING";
const FIX = "CONTROL_FIX_SESSION";
const withoutFix = all.filter((name) => name !== FIX);

describe("D-UAC 9: evaluation of access rules", () => {
  test("denies by default", async () => {
    expect(await evaluate()).toEqual({ alice: [], bob: [], carol: [], warnings: [] });
  });

  test("a rule multiplies principals and permissions", async () => {
    const rule = `<allow><principal>alice</principal><principal> carol </principal><permission>${HALT}</permission><permission> ${FIX}\n</permission></allow>`;
    expect(await evaluate(rule)).toMatchObject({ alice: [HALT, FIX], bob: [], carol: [HALT, FIX], warnings: [] });
  });

  test("a group stands for its users", async () => {
    expect(await evaluate(allow("desk", HALT))).toMatchObject({ alice: [HALT], bob: [HALT], carol: [] });
  });

  test("deny by user beats allow by group, whatever the order", async () => {
    const rules = [allow("desk", HALT), deny("bob", HALT)];
    expect(await evaluate(...rules)).toMatchObject({ alice: [HALT], bob: [] });
    expect(await evaluate(...rules.reverse())).toMatchObject({ alice: [HALT], bob: [] });
  });

  test("deny by group beats allow by user", async () => {
    expect(await evaluate(allow("bob", HALT), deny("desk", HALT))).toMatchObject({ bob: [] });
  });

  test("permission `*` allows all, and a named deny takes one away", async () => {
    expect(await evaluate(allow("alice", "*"), deny("alice", FIX))).toMatchObject({ alice: withoutFix });
  });

  test("deny of permission `*` beats every named allow", async () => {
    expect(await evaluate(allow("desk", HALT), allow("alice", "*"), deny("alice", "*"))).toMatchObject({
      alice: [],
      bob: [HALT],
    });
  });

  test("case does not count in users, groups and permissions", async () => {
    const rules = [
      allow("ALICE", "halt_resume_trading"),
      allow("DESK", "Control_Fix_Session"),
      deny("BOB", "control_FIX_session"),
    ];
    expect(await evaluate(...rules)).toMatchObject({ alice: [HALT, FIX], bob: [] });
  });

  test("a name that is both is the user", async () => {
    const both: Principals = { ...principals, groups: new Map([["alice", new Set(["bob"])]]) };
    const { rules } = await readRules(ruleDocument(allow("alice", HALT)));
    const { permissions } = await permissionsOf(rules, both);
    expect([permissions.get("alice"), permissions.get("bob")]).toEqual([new Set([HALT]), new Set()]);
  });

  test("permissions of other products are ignored", async () => {
    expect(await evaluate(allow("alice", "SHUTDOWN"), allow("alice", "ALL"))).toMatchObject({
      alice: [],
      warnings: [],
    });
  });
});

describe("D-UAC 3: principal `*` is any authenticated user", () => {
  test("may be allowed something, with a warning that TimeBase reads it otherwise", async () => {
    const warnings = [
      expect.stringMatching(/^rules.xml:1:\d+: allow rule: .* to every user who can log in; TimeBase skips/),
    ];
    expect(await evaluate(allow("*", HALT))).toEqual({ alice: [HALT], bob: [HALT], carol: [HALT], warnings });
    expect((await evaluate(allow("*", "*"))).warnings).toEqual([
      expect.stringContaining(`gives ${all.join(", ")} to every user`),
    ]);
    expect((await evaluate(allow("*", "READ"))).warnings).toEqual([]);
    expect((await evaluate(deny("*", HALT))).warnings).toEqual([]);
  });

  test("may lose it to a named deny", async () => {
    expect(await evaluate(allow("*", HALT), deny("bob", HALT))).toMatchObject({ alice: [HALT], bob: [] });
  });

  test("is denied, named allows included, by a deny of `*`", async () => {
    expect(await evaluate(deny("*", FIX), allow("alice", FIX), allow("desk", "*"))).toMatchObject({
      alice: withoutFix,
      bob: withoutFix,
      carol: [],
    });
  });

  test("may be allowed everything by `*` times `*`", async () => {
    expect(await evaluate(allow("*", "*"))).toMatchObject({ alice: all, bob: all, carol: all });
    expect(await evaluate(allow("*", "*"), deny("*", "*"))).toMatchObject({ alice: [], bob: [], carol: [] });
  });
});

describe("resources of access rules", () => {
  test.each([
    ["no resource", "", true],
    ["`*`", "<resource> * </resource>", true],
    ["`*` as text of a stream", '<resource type="Stream" format="Text">*</resource>', true],
    ["`*` beside another one", "<resource>bob</resource><resource>*</resource>", true],
    ["a resource", "<resource>bob</resource>", false],
    ["an expression for some", '<resource format="RegEx">b.*</resource>', false],
  ])("decide about a rule: %s", async (_name, resource, counts) => {
    expect((await evaluate(allow("alice", HALT, resource))).alice).toEqual(counts ? [HALT] : []);
    expect((await evaluate(allow("alice", HALT), deny("alice", HALT, resource))).alice).toEqual(counts ? [] : [HALT]);
    expect((await evaluate(allow("alice", "*", resource))).alice).toEqual(counts ? all : []);
  });

  test.each([
    ["`*` as a wildcard", '<resource format="Wildcard">*</resource>'],
    ["`*` as an expression", '<resource format="RegEx">*</resource>'],
    ["an expression for everything", '<resource format="RegEx">.*</resource>'],
    ["one with both ends", '<resource type="Stream" format="RegEx">^.*$</resource>'],
  ])("are a limit of an allow, but not of a deny, if they leave nothing out: %s", async (_name, resource) => {
    expect((await evaluate(allow("alice", HALT, resource))).alice).toEqual([]);
    expect((await evaluate(allow("alice", "*", resource))).alice).toEqual([]);
    for (const taken of [HALT, "*"])
      expect((await evaluate(allow("alice", HALT), deny("alice", taken, resource))).alice).toEqual([]);
  });

  test("a rule that is limited to a resource and names a permission of ours is warned about", async () => {
    const { warnings } = await evaluate(
      allow("alice", HALT, "<resource>bob</resource>"),
      deny("alice", FIX, "<resource>bob</resource>"),
      allow("alice", "READ", "<resource>bob</resource>"),
      allow("alice", "*", "<resource>bob</resource>"),
      deny("alice", "*", "<resource>bob</resource>"),
    );
    expect(warnings).toEqual([
      expect.stringMatching(
        /^rules.xml:1:\d+: allow rule: limited to a resource, it grants nothing of HALT_RESUME_TRADING$/,
      ),
      expect.stringMatching(/: deny rule: limited to a resource, it takes nothing away of CONTROL_FIX_SESSION$/),
      expect.stringMatching(/: deny rule: limited to a resource, it takes nothing away of \*$/),
    ]);
  });
});

describe("access rules are read leniently, with a warning", () => {
  test("for an unknown principal; the rest of the rule stands", async () => {
    const rule = `<allow><principal>mallory</principal><principal>bob</principal><permission>${HALT}</permission></allow>`;
    const { bob, warnings } = await evaluate(rule);
    expect(bob).toEqual([HALT]);
    expect(warnings).toEqual([
      expect.stringMatching(/^rules.xml:1:\d+: allow rule: "mallory" is skipped: there is no such user or group$/),
    ]);
  });

  test("but not for an empty group, which is known", async () => {
    expect((await evaluate(allow("empty", HALT))).warnings).toEqual([]);
  });

  test.each([
    ["no principal", `<allow><permission>${HALT}</permission></allow>`],
    ["no permission", "<allow><principal>alice</principal></allow>"],
    ["nothing", "<allow/>"],
  ])("for an allow with %s", async (_name, rule) => {
    const { alice, warnings } = await evaluate(rule);
    expect(alice).toEqual([]);
    expect(warnings).toEqual([expect.stringMatching(/rule is skipped: it needs a principal and a permission/)]);
  });

  test("for empty texts", async () => {
    const empty = "<allow><principal> </principal><permission/><resource/></allow>";
    const { warnings } = await evaluate(empty);
    expect(warnings.map((warning) => warning.replace(/^.*?: /, ""))).toEqual([
      "an empty <principal> is skipped",
      "an empty <permission> is skipped",
      "an empty <resource> is skipped",
      "this allow rule now applies to every resource; write <resource>*</resource> to say so",
      "this allow rule is skipped: it needs a principal and a permission",
    ]);
  });
});

describe("D-UAC 14: a deny that is not understood as a whole refuses the file", () => {
  test.each([
    ["nothing", "<deny/>", "this deny rule needs a principal and a permission"],
    ["no principal", `<deny><permission>${HALT}</permission></deny>`, "needs a principal and a permission"],
    ["no permission", "<deny><principal>bob</principal></deny>", "needs a principal and a permission"],
    [
      "an empty principal",
      `<deny><principal>bob</principal><principal/><permission>${HALT}</permission></deny>`,
      "this <principal> of a deny rule is empty",
    ],
    [
      "an empty permission",
      `<deny><principal>bob</principal><permission> </permission><permission>${HALT}</permission></deny>`,
      "this <permission> of a deny rule is empty",
    ],
    ["an empty resource", deny("bob", HALT, "<resource/>"), "this <resource> of a deny rule is empty"],
    ["a letter missing", deny("bob", "HALT_RESUME_TRADNG"), "did you mean HALT_RESUME_TRADING?"],
    ["a word missing", deny("bob", "HALT_TRADING"), "did you mean HALT_RESUME_TRADING?"],
    ["another separator", deny("bob", "control-fix-session"), "did you mean CONTROL_FIX_SESSION?"],
    ["a plural", deny("bob", "CHANGE_RISK_LIMIT"), "did you mean CHANGE_RISK_LIMITS?"],
    ["another order", deny("bob", "ADJUST_POSITION"), "did you mean POSITION_ADJUSTMENT?"],
    ["a look-alike letter", deny("bob", "halt_resume_tradıng"), "did you mean HALT_RESUME_TRADING?"],
  ])("with %s", async (_name, rule, reason) => {
    const message = await messageOf(() => evaluate(allow("bob", HALT), rule));
    expect(message).toMatch(/^rules.xml:1:\d+: /);
    expect(message).toContain(reason);
  });

  test("and so does one whose principal is unknown or has unknown members; what several are called is taken from all", async () => {
    const faultsOf = async (principal: string) => {
      const { rules } = await readRules(ruleDocument(allow("bob", HALT), deny(principal, HALT)));
      const incomplete = new Map([["desk", ["jhon"]]]);
      const { faults, permissions } = await permissionsOf(rules, { ...principals, incomplete });
      return [faults.map(({ reason }) => reason), permissions.get("bob")];
    };
    expect(await faultsOf("bobb")).toEqual([['there is no user or group "bobb"'], new Set([HALT])]);
    expect(await faultsOf("desk")).toEqual([['the group "desk" has the unknown member "jhon"'], new Set()]);
    expect(await faultsOf("bob")).toEqual([[], new Set()]);
    expect(await faultsOf("twin")).toEqual([[], new Set()]);
    expect(await faultsOf("*")).toEqual([[], new Set()]);
  });

  test("but not one that takes away what another product grants", async () => {
    for (const name of ["SHUTDOWN", "CHANGE_SCHEMA", "CREATE_STREAM", "TRADING", "READ", "IMPERSONATE"]) {
      expect(await evaluate(allow("bob", HALT), deny("bob", name))).toMatchObject({ bob: [HALT], warnings: [] });
    }
  });
});

describe("D-UAC 15: names of permissions are compared by ASCII case only", () => {
  test.each([
    ["halt_resume_tradıng", HALT],
    ["CHANGE_RIS\u212A_LIMITS", "CHANGE_RISK_LIMITS"],
    ["POſITION_ADJUſTMENT", "POSITION_ADJUSTMENT"],
    ["HALT_RESUME_TRADNG", HALT],
    ["FIX_SESSIONS", FIX],
  ])("%s in an allow grants nothing, and a warning asks for %s", async (name, meant) => {
    const { alice, warnings } = await evaluate(allow("alice", name));
    expect(alice).toEqual([]);
    expect(warnings).toEqual([
      expect.stringMatching(new RegExp(`is not a permission; did you mean ${meant}\\? It grants nothing$`)),
    ]);
  });

  test("a name of several entries in an allow grants nothing", async () => {
    expect(await evaluate(allow("twin", HALT))).toMatchObject({
      bob: [],
      warnings: [expect.stringContaining("no such user")],
    });
  });
});

describe("rule evaluation equals a naive reference", () => {
  const userNames = ["alice", "bob", "carol"] as const;
  const anyCase = (name: string) => fc.constantFrom(name, name.toUpperCase(), name.toLowerCase());
  const name = (...names: readonly string[]) => fc.constantFrom(...names).chain(anyCase);
  const rule: fc.Arbitrary<AccessRule> = fc.record({
    effect: fc.constantFrom("allow", "allow", "deny"),
    principals: fc.array(name(...userNames, "desk", "empty", "nobody", "*"), { minLength: 1, maxLength: 3 }),
    permissions: fc.array(name(...PERMISSIONS, "READ", "*"), { minLength: 1, maxLength: 3 }),
    anyResource: fc.constantFrom(true, true, false),
    origin: fc.constant("rule"),
  });

  interface Entry {
    readonly allow: Set<string>;
    readonly deny: Set<string>;
  }

  function concerns(rule: AccessRule, user: string): boolean {
    return rule.principals.some((text) => {
      const key = text.toLowerCase();
      return key === "*" || key === user || (principals.groups.get(key)?.has(user) ?? false);
    });
  }

  /** A map from permission to sets of resources. */
  function entriesOf(rules: readonly AccessRule[], user: string): Map<string, Entry> {
    const entries = new Map<string, Entry>();
    for (const rule of rules.filter((each) => concerns(each, user))) {
      for (const text of rule.permissions) {
        const entry = entries.get(text.toUpperCase()) ?? { allow: new Set(), deny: new Set() };
        entry[rule.effect].add(rule.anyResource ? "any" : "some");
        entries.set(text.toUpperCase(), entry);
      }
    }
    return entries;
  }

  /** What the rules of that map come to for a user. */
  function naive(rules: readonly AccessRule[], user: string, permission: Permission): boolean {
    const entries = entriesOf(rules, user);
    const any = entries.get("*") ?? { allow: new Set<string>(), deny: new Set<string>() };
    for (const { allow: allowed, deny: denied } of entries.values()) {
      for (const resource of any.allow) allowed.add(resource);
      for (const resource of any.deny) denied.add(resource);
    }
    const found = entries.get(permission) ?? any;
    return found.allow.has("any") && !found.deny.has("any");
  }

  test("for every user and every permission", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(rule, { maxLength: 8 }), async (rules) => {
        const { permissions } = await permissionsOf(rules, principals);
        for (const user of userNames) {
          const expected = PERMISSIONS.filter((permission) => naive(rules, user, permission));
          expect([...(permissions.get(user) ?? [])]).toEqual(expected);
        }
      }),
      { numRuns: cases(2000) },
    );
  });

  test("the order of rules does not matter, and a deny never grants", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(rule, { maxLength: 8 }), rule, async (rules, added) => {
        const before = (await permissionsOf(rules, principals)).permissions;
        expect((await permissionsOf(rules.toReversed(), principals)).permissions).toEqual(before);
        const after = (await permissionsOf([...rules, { ...added, effect: "deny" }], principals)).permissions;
        for (const user of userNames) {
          for (const permission of after.get(user) ?? []) expect(before.get(user)?.has(permission)).toBe(true);
        }
      }),
    );
  });
});
