// A flood: what its parts say, until the process is killed. Its first message is `{ parts }`, each with its target; every half second
// it says what it was answered, by status or code of the error.
import { ask, churn, drip, garble, greet, hold, pipeline, reset, shred, stream, unread } from "./flood-shapes.mjs";

const SHAPES = { ask, churn, drip, garble, greet, hold, pipeline, reset, shred, stream, unread };
const REPORT_MS = 500;

const counts = {};
function count(what) {
  counts[what] = (counts[what] ?? 0) + 1;
}

process.once("message", ({ parts }) => {
  for (const part of parts) SHAPES[part.shape]({ ...part, count });
  setInterval(() => process.send({ counts }), REPORT_MS);
  process.send({ counts });
});
process.once("disconnect", () => process.exit(0));
