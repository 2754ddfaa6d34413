export const STATUS = { projectionPath: "", halted: false, reason: null };

/** The same bytes with nothing behind them. A status can change, so it is made into JSON for each answer. */
export function bare(_request, response) {
  const body = JSON.stringify(STATUS);
  response.writeHead(200, {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Request-Id": "00000000-0000-4000-8000-000000000000",
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(body),
  });
  response.end(body);
}
