import {
  type Document,
  type ErrorCode,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  visit,
  type YAMLMap,
} from "yaml";
import { withoutSecrets } from "../core/urls.ts";
import { ConfigurationError, syntaxProblem } from "./configuration-error.ts";
import type { FileOrigin, Property } from "./property.ts";

/** More than a settings file needs, and few enough to stop one that multiplies or contains itself. */
const MAX_ALIASES = 100;

/**
 * Reads a YAML 1.2 text into properties: nested maps become dotted keys, in the order of the text. An empty text has none.
 * `file` names the text in messages. Throws {@link ConfigurationError} for all that YAML itself finds wrong or doubtful,
 * for several documents, a top level that is not a map, and more than 100 aliases.
 */
export function yamlProperties(text: string, file: string): Property[] {
  return new YamlText(text, file).properties();
}

class YamlText {
  readonly #file: string;
  readonly #lines = new LineCounter();
  readonly #document: Document.Parsed;
  #aliases = 0;

  constructor(text: string, file: string) {
    this.#file = file;
    this.#document = parseDocument(text, {
      lineCounter: this.#lines,
      prettyErrors: false,
      schema: "core",
      stringKeys: true,
      uniqueKeys: true,
      resolveKnownTags: false,
    });
  }

  properties(): Property[] {
    this.#refuseFaults();
    const top = this.#document.contents;
    if (top === null || (isScalar(top) && top.value === null)) return [];
    if (!isMap(top)) throw this.#refusal(top, 'the top level must be a map of settings, such as "server.port: 8988"');
    return this.#flatten(top, "");
  }

  #refuseFaults(): void {
    const faults = [...this.#document.errors, ...this.#document.warnings];
    if (faults.length === 0) return;
    throw ConfigurationError.of(
      faults.map(({ code, message, pos }) => {
        return syntaxProblem(this.#originAt(pos[0]), this.#reasonOf(code, pos[0]) ?? message);
      }),
    );
  }

  /** Our own words for a fault, where YAML's are not enough. */
  #reasonOf(code: ErrorCode, offset: number): string | undefined {
    if (code === "MULTIPLE_DOCS") return "only one YAML document is allowed";
    return code === "DUPLICATE_KEY" ? this.#repeatedKey(offset) : undefined;
  }

  /** Names the key at this place, and where it is first. */
  #repeatedKey(offset: number): string | undefined {
    let reason: string | undefined;
    visit(this.#document, {
      Pair: (_index, { key }, path) => {
        const map = path.at(-1);
        if (!isScalar(key) || key.range?.[0] !== offset || !isMap(map)) return undefined;
        const first = map.items.find((item) => isScalar(item.key) && item.key.value === key.value);
        const name = [...path.filter(isPair).map((pair) => plainScalar(pair.key)), plainScalar(key)].join(".");
        const shown = withoutSecrets(JSON.stringify(name));
        reason = `${shown} was already given on line ${this.#originOf(first?.key).line}`;
        return visit.BREAK;
      },
    });
    return reason;
  }

  #flatten(map: YAMLMap, prefix: string): Property[] {
    return map.items.flatMap(({ key, value }) => {
      const name = `${prefix}${plainScalar(key)}`;
      const node = this.#follow(value);
      if (isMap(node) && node.items.length > 0) return this.#flatten(node, `${name}.`);
      return [{ key: name, value: this.#plain(node), origin: this.#originOf(key) }];
    });
  }

  #plain(node: unknown): unknown {
    if (isSeq(node)) return node.items.map((item) => this.#plain(this.#follow(item)));
    if (!isMap(node)) return plainScalar(node);
    return Object.fromEntries(node.items.map(({ key, value }) => [plainScalar(key), this.#plain(this.#follow(value))]));
  }

  #follow(node: unknown): unknown {
    if (!isAlias(node)) return node;
    this.#aliases += 1;
    if (this.#aliases > MAX_ALIASES) throw this.#refusal(node, `aliases are followed more than ${MAX_ALIASES} times`);
    const target = node.resolve(this.#document);
    if (target === undefined) throw this.#refusal(node, `no anchor "&${node.source}" is before this alias`);
    return target;
  }

  #refusal(node: Node, reason: string): ConfigurationError {
    return ConfigurationError.of([syntaxProblem(this.#originOf(node), reason)]);
  }

  #originOf(node: unknown): FileOrigin {
    return this.#originAt((node as Node).range?.[0] ?? 0);
  }

  #originAt(offset: number): FileOrigin {
    const { line, col } = this.#lines.linePos(offset);
    return { source: "file", file: this.#file, line, column: col };
  }
}

/** A scalar as it is written, so that `007` and `1.10` lose nothing; null where YAML means null. */
function plainScalar(node: unknown): string | null {
  if (!isScalar(node) || node.value === null) return null;
  return typeof node.value === "string" ? node.value : (node.source ?? String(node.value));
}
