import { Counter, type Registry } from "prom-client";
import { ADMIN_ERRORS } from "../../core/errors.ts";
import type { AnswerListener } from "../../http/answer-report.ts";

/** Counts the responses below the base path, those without an operation too; the returned function is called with them. */
export function measureAnswers(registry: Registry): AnswerListener {
  const known = [200, 204, 304, ...Object.values(ADMIN_ERRORS).map(({ status }) => status)];
  const counts = new Map(known.map((status) => [status, { count: 0 }]));
  new Counter({
    name: "trading_admin_http_answers_total",
    help: "HTTP responses of the API by status, including those that belong to no operation, such as 401, 404, 405.",
    labelNames: ["status"],
    registers: [registry],
    collect() {
      this.reset();
      for (const [status, { count }] of counts) this.inc({ status }, count);
    },
  });
  return ({ status }) => {
    const cell = counts.get(status);
    if (cell) cell.count += 1;
    else counts.set(status, { count: 1 });
  };
}
