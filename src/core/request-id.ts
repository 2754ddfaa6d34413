import { randomBytes } from "node:crypto";

/**
 * Makes a source of request ids: random letters that no other source has, and a count. Cheaper than a UUID for each
 * request, and easier to read out over the telephone.
 */
export function requestIds(): () => string {
  const prefix = randomBytes(9).toString("hex");
  let count = 0;
  return () => {
    count += 1;
    return `${prefix}-${count}`;
  };
}
