import { join } from "node:path";
import ts from "typescript";
import { type Entry, ROOT } from "./build.ts";

/** What an entry exports: names that exist at run time, and names that only the compiler knows. */
export interface ExportedNames {
  readonly values: readonly string[];
  readonly types: readonly string[];
}

const OPTIONS: ts.CompilerOptions = {
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  target: ts.ScriptTarget.ES2022,
  types: ["node"],
  noEmit: true,
};

/** Names that the declarations of each entry export, by specifier. */
export function declaredNames(entries: readonly Entry[]): Record<string, ExportedNames> {
  const program = ts.createProgram(
    entries.map(({ types }) => join(ROOT, types)),
    OPTIONS,
  );
  const found = entries.map(({ specifier, types }) => [specifier, namesOf(program, join(ROOT, types))]);
  return Object.fromEntries(found);
}

function namesOf(program: ts.Program, file: string): ExportedNames {
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const module = source && checker.getSymbolAtLocation(source);
  if (!module) throw new Error(`${file} is not a module`);
  const values: string[] = [];
  const types: string[] = [];
  for (const exported of checker.getExportsOfModule(module)) {
    const isAlias = (exported.flags & ts.SymbolFlags.Alias) !== 0;
    const meant = isAlias ? checker.getAliasedSymbol(exported) : exported;
    const isValue = (meant.flags & ts.SymbolFlags.Value) !== 0;
    (isValue && !isTypeOnly(exported) ? values : types).push(exported.name);
  }
  return { values: values.toSorted(), types: types.toSorted() };
}

/** `export type { X }`, also of a class. */
function isTypeOnly(exported: ts.Symbol): boolean {
  return (
    exported.declarations?.some((node) => ts.isExportSpecifier(node) && ts.isTypeOnlyExportDeclaration(node)) ?? false
  );
}
