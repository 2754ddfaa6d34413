import { forEachInTurns, type Turns } from "../core/load/turns.ts";
import type { AccessRule } from "./access-rules.ts";
import { checkShape, type ElementShape, TEXT } from "./document-shape.ts";
import { permissionMeantBy } from "./permission-names.ts";
import { quoted } from "./security-file-error.ts";
import { attributeOf, faultIn, parseXml, remarkOn, type XmlElement } from "./xml.ts";

export interface AccessRuleFile {
  readonly rules: readonly AccessRule[];
  /** Skipped entries; `file:line:column: text` each. */
  readonly warnings: readonly string[];
}

const RESOURCE_TYPES = ["Principal", "Stream"];
const RESOURCE_FORMATS = ["Text", "Wildcard", "RegEx"];
const RULE: ElementShape = {
  children: { principal: TEXT, permission: TEXT, resource: { attributes: ["type", "format"] } },
};
const SHAPE: ElementShape = { children: { allow: RULE, deny: RULE } };

/**
 * Reads access rules. An `allow` without principals or permissions is skipped with a warning, as is what is empty in it.
 *
 * @throws SecurityFileError when the XML or an attribute of a resource is not what the format says (decision D-UAC 4), or when a `deny` is not
 * understood as a whole (D-UAC 14): what it was to take away would stay granted.
 */
export async function readAccessRules(file: string, source: string, turns: Turns): Promise<AccessRuleFile> {
  const root = await parseXml(file, source, turns);
  const warnings = await checkShape(root, "rules", SHAPE, turns);
  const rules: AccessRule[] = [];
  await forEachInTurns(turns, root.children, (element) => {
    const rule = readRule(element, warnings);
    if (rule) rules.push(rule);
  });
  return { rules, warnings };
}

function readRule(element: XmlElement, warnings: string[]): AccessRule | undefined {
  const principals = filled(element, "principal", warnings).map(({ text }) => text.trim());
  const permissions = filled(element, "permission", warnings).map((name) => readPermission(name, element, warnings));
  const resources = readResources(element, warnings);
  if (principals.length === 0 || permissions.length === 0) {
    if (isDeny(element)) throw faultIn(element, `this deny rule needs a principal and a permission; ${NOT_UNDERSTOOD}`);
    warnings.push(remarkOn(element, "this allow rule is skipped: it needs a principal and a permission"));
    return undefined;
  }
  return {
    effect: isDeny(element) ? "deny" : "allow",
    principals,
    permissions,
    anyResource: resources.length === 0 || resources.some(isDeny(element) ? isAnyPattern : isAnyResource),
    origin: remarkOn(element, `${element.name} rule`),
    position: element.position,
  };
}

/** Why a file with such a deny is refused. */
export const NOT_UNDERSTOOD =
  "a deny that is not understood as a whole would leave permissions that it was to take away";

function isDeny({ name }: XmlElement): boolean {
  return name === "deny";
}

/** A typing error in one of our names is an error; the names of other products are ignored. */
function readPermission(element: XmlElement, rule: XmlElement, warnings: string[]): string {
  const name = element.text.trim();
  const meant = permissionMeantBy(name);
  if (meant === undefined) return name;
  const reason = `${quoted(name)} is not a permission; did you mean ${meant}?`;
  if (isDeny(rule)) throw faultIn(element, `${reason} (${NOT_UNDERSTOOD})`);
  warnings.push(remarkOn(element, `${reason} It grants nothing`));
  return name;
}

function readResources(rule: XmlElement, warnings: string[]): readonly XmlElement[] {
  const resources = rule.children.filter(({ name }) => name === "resource");
  for (const resource of resources) {
    checkAttribute(resource, "type", RESOURCE_TYPES);
    checkAttribute(resource, "format", RESOURCE_FORMATS);
  }
  const given = filled(rule, "resource", warnings);
  if (resources.length > 0 && given.length === 0) {
    const text = `this ${rule.name} rule now applies to every resource; write <resource>*</resource> to say so`;
    warnings.push(remarkOn(rule, text));
  }
  return given;
}

/** The children of that name that are not empty. */
function filled(rule: XmlElement, name: string, warnings: string[]): readonly XmlElement[] {
  return rule.children.filter((child) => {
    if (child.name !== name) return false;
    if (child.text.trim() !== "") return true;
    if (isDeny(rule)) throw faultIn(child, `this <${name}> of a deny rule is empty; ${NOT_UNDERSTOOD}`);
    warnings.push(remarkOn(child, `an empty <${name}> is skipped`));
    return false;
  });
}

function checkAttribute(resource: XmlElement, name: string, allowed: readonly string[]): void {
  const value = attributeOf(resource, name);
  if (value === undefined || allowed.includes(value)) return;
  throw faultIn(resource, `${name} of <resource> is ${quoted(value)} instead of ${allowed.join(", ")}`);
}

/** Resources of a deny that leave nothing out, in any format: taken for a limit, such a deny would take nothing away. */
function isAnyPattern(resource: XmlElement): boolean {
  return /^\^?(?:\*+|\.[*+])\$?$/.test(resource.text.trim());
}

/** Only plain `*` stands for every resource in an allow; as a wildcard or an expression it is a pattern like any other. */
function isAnyResource(resource: XmlElement): boolean {
  return resource.text.trim() === "*" && (attributeOf(resource, "format") ?? "Text") === "Text";
}
