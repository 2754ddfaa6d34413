import type { Turns } from "../core/load/turns.ts";
import { faultIn, remarkOn, type XmlAttribute, type XmlElement } from "./xml.ts";

export interface ElementShape {
  /** Unqualified attributes; none unless listed. */
  readonly attributes?: readonly string[];
  /** Child elements by name, in any order. Without them the element holds text. */
  readonly children?: Readonly<Record<string, ElementShape>>;
  /** The element may stand only once in its parent. */
  readonly once?: boolean;
}

/** An element that holds text only. */
export const TEXT: ElementShape = {};

const NAMESPACE = "http://xml.deltixlab.com/internal/quantserver/3.0";
const SCHEMA_INSTANCE = "http://www.w3.org/2001/XMLSchema-instance";

/**
 * Checks a document against its shape: root name, namespace, elements, attributes, no stray text (decision D-UAC 4).
 *
 * @returns warnings: one when the namespace is missing.
 * @throws SecurityFileError at the first fault.
 */
export async function checkShape(
  root: XmlElement,
  rootName: string,
  shape: ElementShape,
  turns: Turns,
): Promise<string[]> {
  if (root.name !== rootName) throw faultIn(root, `the root element is ${tag(root)} instead of <${rootName}>`);
  if (root.namespace !== NAMESPACE && root.namespace !== "") {
    const found = JSON.stringify(root.namespace);
    throw faultIn(root, `the namespace is ${found} instead of "${NAMESPACE}"`);
  }
  await checkElement(root, shape, root.namespace, turns);
  if (root.namespace === NAMESPACE) return [];
  return [remarkOn(root, `the namespace is missing; write <${rootName} xmlns="${NAMESPACE}">`)];
}

async function checkElement(element: XmlElement, shape: ElementShape, namespace: string, turns: Turns): Promise<void> {
  if (element.namespace !== namespace) {
    throw faultIn(element, `${tag(element)} is not in the namespace of the root element`);
  }
  checkAttributes(element, shape);
  if (shape.children) await checkChildren(element, shape.children, namespace, turns);
  else checkText(element);
}

function checkAttributes(element: XmlElement, shape: ElementShape): void {
  const unknown = element.attributes.find((given) => !isSchemaHint(given) && !isKnown(given, shape));
  if (!unknown) return;
  const name = JSON.stringify(unknown.name);
  throw faultIn(element, `${tag(element)} has an unknown attribute ${name}`);
}

function isKnown({ name, namespace }: XmlAttribute, shape: ElementShape): boolean {
  return namespace === "" && (shape.attributes?.includes(name) ?? false);
}

/** `xsi:schemaLocation` and its sibling, which editors add; nothing is ever fetched. */
function isSchemaHint({ name, namespace }: XmlAttribute): boolean {
  return namespace === SCHEMA_INSTANCE && /^(schemaLocation|noNamespaceSchemaLocation)$/.test(name);
}

async function checkChildren(
  element: XmlElement,
  shapes: Readonly<Record<string, ElementShape>>,
  namespace: string,
  turns: Turns,
): Promise<void> {
  if (element.text.trim() !== "") {
    throw faultIn(element, `${tag(element)} holds text, but only elements may stand in it`);
  }
  const seen = new Set<string>();
  for (const child of element.children) {
    if (turns.isOver()) await turns.next();
    const shape = Object.hasOwn(shapes, child.name) ? shapes[child.name] : undefined;
    if (!shape) {
      const known = Object.keys(shapes).map((name) => `<${name}>`);
      const reason = `unknown element ${tag(child)} in ${tag(element)}; it may hold ${known.join(", ")}`;
      throw faultIn(child, reason);
    }
    if (shape.once && seen.has(child.name)) throw faultIn(child, `${tag(child)} stands twice in ${tag(element)}`);
    seen.add(child.name);
    await checkElement(child, shape, namespace, turns);
  }
}

/** Does not name the child: it may be a part of a password in which `<` was not escaped. */
function checkText(element: XmlElement): void {
  const child = element.children[0];
  if (!child) return;
  const reason = `${tag(element)} may hold text only; write "<" as &lt; and "&" as &amp;`;
  throw faultIn(child, reason);
}

function tag(element: XmlElement): string {
  return `<${element.name}>`;
}
