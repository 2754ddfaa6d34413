import type { OperationName } from "../../src/core/operations/table.ts";

/** Where the API is, and as whom to call it. */
export interface Account {
  readonly baseUrl: string;
  readonly user: string;
  readonly password: string;
}

/** What a generated client shows of a response. */
export interface Reply {
  readonly status: number;
  readonly data?: unknown;
  readonly error?: unknown;
  /** The body of a refusal, where the client leaves it to be read. */
  readonly unread?: string;
}

/** All operations through generated code, by a caller that was compiled with it. */
export type GeneratedClient = Readonly<Record<OperationName, (input?: object) => Promise<Reply>>>;

/** A program that has ended. */
export interface Ended {
  readonly code: number | null;
  readonly output: string;
}

/** What some generator can do and another cannot. */
export type Ability = "strictest" | "address" | "encoding" | "refusals" | "unauthorized" | "errorType";

/** Something a generator cannot do, as the documentation says it. */
export interface Limit {
  readonly cannot: string;
  readonly why: string;
  readonly instead: string;
  /** What does not compile. */
  readonly files?: readonly string[];
}

/** A value, and how the documentation calls it. */
interface Shape {
  readonly value: unknown;
  readonly says: string;
}

export const UNDEFINED: Shape = { value: undefined, says: "`undefined`" };
export const EMPTY_OBJECT: Shape = { value: {}, says: "`{}`" };

/** How a client shows answers. */
interface Shapes {
  /** Where refusals are found. */
  readonly refusals: string;
  readonly emptyData: Shape;
  /** Error of an empty 401 of an operation that responds with JSON. */
  readonly emptyError: Shape;
  /** The same of an operation whose answer is empty. */
  readonly emptyErrorOfCommand: Shape;
}

/** A generator of clients as the tests use it. */
export interface Generator {
  readonly name: string;
  /** The packages whose versions count, the generator first. */
  readonly packages: readonly string[];
  /** The command of a user, as the documentation shows it. */
  readonly command: string;
  /** Caller's file in `callers/`. */
  readonly caller: string;
  /** Makes `generated/` from `openapi.json`, both in the folder. */
  generate(folder: string, baseUrl: string): Promise<Ended>;
  readonly shapes: Shapes;
  readonly limits: Partial<Readonly<Record<Ability, Limit>>>;
}
