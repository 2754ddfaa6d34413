import { readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join } from "node:path";
import ts from "typescript";
import { ROOT } from "./build.ts";

/** Packages that a built file, code or declarations, loads itself or through other built files, when it is loaded. */
export function loadedPackages(code: string): string[] {
  return packagesBehind(code, staticImportsOf);
}

/** The same, and the packages that it may load later. */
export function neededPackages(code: string): string[] {
  return packagesBehind(code, importsOf);
}

function packagesBehind(code: string, importsOf: (file: string) => string[]): string[] {
  const packages = new Set<string>();
  const seen = new Set<string>();
  const waiting = [join(ROOT, code)];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    for (const specifier of importsOf(file)) {
      if (specifier.startsWith(".")) waiting.push(resolved(file, specifier));
      else if (!isBuiltin(specifier)) packages.add(packageOf(specifier));
    }
  }
  return [...packages].toSorted();
}

/** Declarations name each other as the code does. */
function resolved(from: string, specifier: string): string {
  const path = join(dirname(from), specifier);
  return from.endsWith(".d.ts") ? path.replace(/\.js$/, ".d.ts") : path;
}

/** Specifiers of static and dynamic imports, re-exports and `require` in a file. */
function importsOf(file: string): string[] {
  return ts.preProcessFile(readFileSync(file, "utf8"), true, true).importedFiles.map(({ fileName }) => fileName);
}

/** Specifiers of static imports and re-exports in a file. */
function staticImportsOf(file: string): string[] {
  const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest);
  return source.statements.flatMap((statement) => {
    if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) return [];
    const { moduleSpecifier } = statement;
    return moduleSpecifier && ts.isStringLiteral(moduleSpecifier) ? [moduleSpecifier.text] : [];
  });
}

function packageOf(specifier: string): string {
  const parts = specifier.split("/");
  return parts.slice(0, specifier.startsWith("@") ? 2 : 1).join("/");
}
