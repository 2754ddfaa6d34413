// A flood: what its parts say, until the process is killed. Its first message is `{ target, parts }`; every half second it says
// what it was answered, by status or code of the error.
import { ask, churn, drip, greet, hold, pipeline, reset, shred, stream, unread } from "./flood-shapes.mjs";

const SHAPES = { ask, churn, drip, greet, hold, pipeline, reset, shred, stream, unread };
const REPORT_MS = 500;

const counts = {};
function count(what) {
  counts[what] = (counts[what] ?? 0) + 1;
}

process.once("message", ({ target, parts }) => {
  for (const part of parts) SHAPES[part.shape]({ ...part, target, count });
  setInterval(() => process.send({ counts }), REPORT_MS);
  process.send({ counts });
});
process.once("disconnect", () => process.exit(0));
