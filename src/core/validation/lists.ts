import { z } from "zod";
import { compileConformity } from "./conformity.ts";
import { MAX_FAULTS } from "./faults.ts";

/** What zod finds wrong. */
export type Issue = z.core.$ZodIssue;

/** An input whose lists have been checked. */
interface CheckedLists {
  /** Its lists end before the first faulty element that is not described. */
  readonly input: Record<string, unknown>;
  readonly issues: readonly Issue[];
  /** Number of faulty elements that are not described. */
  readonly others: number;
}

/**
 * Checks the elements of an input's lists: quickly, and in full where that is not enough. The first 20 faulty ones of a list are
 * described: thousands would take a second.
 */
export function checkLists({ shape }: z.ZodObject, given: Record<string, unknown>): CheckedLists {
  const input = { ...given };
  const issues: Issue[] = [];
  let others = 0;
  for (const [key, schema] of Object.entries(shape)) {
    const list = given[key];
    if (!(schema instanceof z.ZodArray) || !Array.isArray(list)) continue;
    const checked = checkElements(schema.element, list);
    input[key] = checked.elements;
    issues.push(...below(key, checked));
    others += checked.others;
  }
  return { input, issues, others };
}

type CheckedElements = Pick<CheckedLists, "issues" | "others"> & { readonly elements: unknown[] };

function checkElements(schema: z.core.$ZodType, list: readonly unknown[]): CheckedElements {
  const conforms = compileConformity(schema);
  const elements: unknown[] = [];
  const issues: Issue[] = [];
  let described = 0;
  let others = 0;
  for (const [index, element] of list.entries()) {
    const isFine = conforms(element);
    if (!isFine && described === MAX_FAULTS) others += 1;
    if (others > 0) continue;
    const { data, error } = isFine ? { data: element } : z.safeParse(schema, element, { reportInput: true });
    elements.push(error ? element : data);
    issues.push(...below(index, error));
    if (error) described += 1;
  }
  return { elements, issues, others };
}

/** The issues of what stands at a key. */
function below(key: PropertyKey, found: Pick<CheckedLists, "issues"> | undefined): Issue[] {
  return found?.issues.map((issue) => ({ ...issue, path: [key, ...issue.path] })) ?? [];
}

const withAnyElements = new WeakMap<z.ZodObject, z.ZodObject>();

/** A schema that does not look at the elements of its lists, but at everything else. */
export function withoutElements(schema: z.ZodObject): z.ZodObject {
  const lighter = withAnyElements.get(schema) ?? lighterThan(schema);
  withAnyElements.set(schema, lighter);
  return lighter;
}

function lighterThan(schema: z.ZodObject): z.ZodObject {
  const lists = Object.entries(schema.shape).flatMap(([key, field]): [string, z.core.$ZodType][] =>
    field instanceof z.ZodArray ? [[key, z.core.clone(field, { ...field.def, element: z.unknown() })]] : [],
  );
  return lists.length > 0 ? schema.safeExtend(Object.fromEntries(lists)) : schema;
}
