import { SaxesParser, type SaxesTagNS, type XMLDecl } from "saxes";
import { forEachInTurns, type Turns } from "../core/load/turns.ts";
import { MAX_FILE_SIZE } from "./security-file.ts";
import { type FilePosition, located, positionsIn, SecurityFileError } from "./security-file-error.ts";

/** An attribute; `namespace` is empty for an unqualified one. Namespace declarations are not attributes. */
export interface XmlAttribute {
  readonly name: string;
  readonly namespace: string;
  readonly value: string;
}

export interface XmlElement {
  /** Local name. */
  readonly name: string;
  /** Namespace URI, empty for none. */
  readonly namespace: string;
  readonly attributes: readonly XmlAttribute[];
  readonly children: readonly XmlElement[];
  /** Character data that stands directly in this element, CDATA included, as it is written. */
  readonly text: string;
  /** The file, for messages. */
  readonly file: string;
  /** Where its `<` stands. */
  readonly position: FilePosition;
}

/** A message about an element; it starts with its place. */
export function remarkOn({ file, position }: XmlElement, text: string): string {
  return located(file, position, text);
}

/** The error for an element that is not what its format says. */
export function faultIn({ file, position }: XmlElement, reason: string, options?: ErrorOptions): SecurityFileError {
  return new SecurityFileError(file, position, reason, options);
}

/** Value of an unqualified attribute. */
export function attributeOf(element: XmlElement, name: string): string | undefined {
  return element.attributes.find((given) => given.name === name && given.namespace === "")?.value;
}

const XMLNS = "http://www.w3.org/2000/xmlns/";
const MAX_DEPTH = 16;

/** Characters that are parsed in one piece, at least. */
const PIECE = 2_048;

/**
 * Parses a complete XML 1.0 document with namespaces. Anything not well-formed, a DOCTYPE, a document of more than
 * {@link MAX_FILE_SIZE} characters or 16 levels is refused (decision D-UAC 4).
 *
 * @throws SecurityFileError that does not quote the document, as it may hold passwords.
 */
export async function parseXml(file: string, text: string, turns: Turns): Promise<XmlElement> {
  if (text.length > MAX_FILE_SIZE) {
    throw new SecurityFileError(file, undefined, `the file is larger than ${MAX_FILE_SIZE} characters`);
  }
  return new XmlTree(file, text).parse(turns);
}

interface OpenElement extends XmlElement {
  readonly children: OpenElement[];
  text: string;
}

class XmlTree {
  readonly #file: string;
  readonly #text: string;
  readonly #parser = new SaxesParser({ xmlns: true, position: false });
  readonly #positionAt: (offset: number) => FilePosition;
  readonly #open: OpenElement[] = [];
  #root: OpenElement | undefined;
  #startTag = 0;

  constructor(file: string, text: string) {
    this.#file = file;
    this.#text = text;
    this.#positionAt = positionsIn(text);
  }

  async parse(turns: Turns): Promise<XmlElement> {
    const parser = this.#parser;
    parser.on("error", (error) => this.#refuse(`not well-formed XML: ${withoutDocumentText(error.message)}`));
    parser.on("doctype", () => this.#refuse("a DOCTYPE is not allowed; remove it", this.#lastOffsetOf("<!DOCTYPE")));
    parser.on("xmldecl", (declaration) => this.#checkDeclaration(declaration));
    parser.on("opentagstart", () => {
      this.#startTag = this.#lastOffsetOf("<");
    });
    parser.on("opentag", (tag) => this.#openElement(tag));
    parser.on("closetag", () => this.#open.pop());
    parser.on("text", (text) => this.#append(text));
    parser.on("cdata", (text) => this.#append(text));
    await forEachInTurns(turns, piecesOf(this.#text), (piece) => parser.write(piece));
    parser.close();
    return this.#root ?? this.#refuse("there is no root element");
  }

  #openElement(tag: SaxesTagNS): void {
    if (this.#open.length === MAX_DEPTH) {
      this.#refuse(`elements are nested deeper than ${MAX_DEPTH} levels`, this.#startTag);
    }
    const element: OpenElement = {
      name: tag.local,
      namespace: tag.uri,
      attributes: Object.values(tag.attributes)
        .filter(({ uri }) => uri !== XMLNS)
        .map(({ local, uri, value }) => ({ name: local, namespace: uri, value })),
      children: [],
      text: "",
      file: this.#file,
      position: this.#positionAt(this.#startTag),
    };
    const parent = this.#open.at(-1);
    if (parent) parent.children.push(element);
    else this.#root = element;
    this.#open.push(element);
  }

  #append(text: string): void {
    const element = this.#open.at(-1);
    if (element) element.text += text;
  }

  #checkDeclaration({ version, encoding }: XMLDecl): void {
    if (version !== "1.0") this.#refuse("only XML 1.0 is supported");
    if (encoding !== undefined && !/^(utf-8|us-ascii)$/i.test(encoding)) {
      this.#refuse(`only UTF-8 is supported; save the file as UTF-8 and write encoding="UTF-8"`);
    }
  }

  #lastOffsetOf(mark: string): number {
    return Math.max(0, this.#text.lastIndexOf(mark, this.#parser.position - 1));
  }

  #refuse(reason: string, offset = Math.max(0, this.#parser.position - 1)): never {
    throw new SecurityFileError(this.#file, this.#positionAt(offset), reason);
  }
}

/** A text in pieces that end behind a `>`, so that the parser carries nothing over from one to the next. */
function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (let from = 0, end = 0; from < text.length; from = end) {
    end = text.indexOf(">", from + PIECE) + 1 || text.length;
    pieces.push(text.slice(from, end));
  }
  return pieces;
}

/** The parser's reason without the names that it quotes: a password with a bare `<` ends up in them. */
function withoutDocumentText(reason: string): string {
  return reason.replace(/: .*$/s, "").replace(/\.$/, "");
}
