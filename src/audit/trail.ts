import { FileSet } from "./file-set.ts";
import { isThere } from "./rotation.ts";

/** The files of an audit trail, in the order of the chain. */
export interface Trail {
  readonly files: readonly string[];
  /** Why the current file is not among them; absent when it is. */
  readonly end?: { readonly file: string; readonly message: string; readonly isProblem: boolean };
}

/** The trail whose current file has this path. For a full file that is the file itself: no other has its name and a number more. */
export async function wholeTrail(path: string): Promise<Trail> {
  const set = new FileSet(path);
  const full = await set.allFull();
  if (full.length === 0 || (await isThere(path))) return { files: [...full, path] };
  const isRotating = await isThere(set.next);
  const message = isRotating
    ? "the file is not there yet: a rotation is under way, or a crash has cut it off and the next start finishes it"
    : "the file is missing: the end of the chain is not there";
  return { files: full, end: { file: path, message, isProblem: !isRotating } };
}
