import type { AccessRule } from "./access-rules.ts";
import { checkShape, type ElementShape, TEXT } from "./document-shape.ts";
import { located, quoted, SecurityFileError } from "./security-file-error.ts";
import { attributeOf, parseXml, type XmlElement } from "./xml.ts";

/** The content of `uac-access-rules.xml`. */
export interface AccessRuleFile {
  readonly rules: readonly AccessRule[];
  /** What was skipped; `file:line:column: text` each. */
  readonly warnings: readonly string[];
}

const RESOURCE_TYPES = ["Principal", "Stream"];
const RESOURCE_FORMATS = ["Text", "Wildcard", "RegEx"];
const RULE: ElementShape = {
  children: { principal: TEXT, permission: TEXT, resource: { attributes: ["type", "format"] } },
};
const SHAPE: ElementShape = { children: { allow: RULE, deny: RULE } };

/**
 * Reads access rules. A rule without principals or permissions is skipped with a warning.
 *
 * @throws SecurityFileError when the XML or an attribute of a resource is not what the format says (decision D-UAC 4).
 */
export function readAccessRules(file: string, source: string): AccessRuleFile {
  const root = parseXml(file, source);
  const warnings = checkShape(file, root, "rules", SHAPE);
  const reader = new RuleReader(file, warnings);
  return { rules: root.children.flatMap((element) => reader.read(element) ?? []), warnings };
}

class RuleReader {
  readonly #file: string;
  readonly #warnings: string[];

  constructor(file: string, warnings: string[]) {
    this.#file = file;
    this.#warnings = warnings;
  }

  read(element: XmlElement): AccessRule | undefined {
    const principals = this.#texts(element, "principal");
    const permissions = this.#texts(element, "permission");
    const resources = this.#resources(element);
    if (principals.length === 0 || permissions.length === 0) {
      this.#warn(element, `this ${element.name} rule is skipped: it needs a principal and a permission`);
      return undefined;
    }
    return {
      effect: element.name === "allow" ? "allow" : "deny",
      principals,
      permissions,
      anyResource: resources.length === 0 || resources.some(isAnyResource),
      origin: located(this.#file, element.position, `${element.name} rule`),
    };
  }

  #texts(rule: XmlElement, name: string): string[] {
    return this.#filled(rule, name).map(({ text }) => text.trim());
  }

  #resources(rule: XmlElement): readonly XmlElement[] {
    const resources = rule.children.filter((child) => child.name === "resource");
    for (const resource of resources) {
      this.#checkAttribute(resource, "type", RESOURCE_TYPES);
      this.#checkAttribute(resource, "format", RESOURCE_FORMATS);
    }
    const filled = this.#filled(rule, "resource");
    if (resources.length > 0 && filled.length === 0) {
      this.#warn(rule, `this ${rule.name} rule now applies to every resource; write <resource>*</resource> to say so`);
    }
    return filled;
  }

  #filled(rule: XmlElement, name: string): readonly XmlElement[] {
    return rule.children.filter((child) => {
      if (child.name !== name) return false;
      if (child.text.trim() !== "") return true;
      this.#warn(child, `an empty <${name}> is skipped`);
      return false;
    });
  }

  #checkAttribute(resource: XmlElement, name: string, allowed: readonly string[]): void {
    const value = attributeOf(resource, name);
    if (value === undefined || allowed.includes(value)) return;
    const reason = `${name} of <resource> is ${quoted(value)} instead of ${allowed.join(", ")}`;
    throw new SecurityFileError(this.#file, resource.position, reason);
  }

  #warn(element: XmlElement, text: string): void {
    this.#warnings.push(located(this.#file, element.position, text));
  }
}

/** Only plain `*` stands for every resource; as a wildcard or an expression it is a pattern like any other. */
function isAnyResource(resource: XmlElement): boolean {
  return resource.text.trim() === "*" && (attributeOf(resource, "format") ?? "Text") === "Text";
}
