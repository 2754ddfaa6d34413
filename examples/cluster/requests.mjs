import { request } from "node:http";

/**
 * Sends a request to the first of the addresses that takes a connection. Resolves with status, outcome and body; the status is the code of a
 * network error if there was no response, "no answer" after the time limit. `body` may be a promise: then its last byte comes late.
 */
export async function send(addresses, method, path, { user, body = {}, timeoutMs = 20_000 }) {
  const [address, ...others] = addresses;
  const reply = await once(address, method, path, { user, body, timeoutMs });
  return reply.status === "ECONNREFUSED" && others.length > 0
    ? send(others, method, path, { user, body, timeoutMs })
    : reply;
}

function once(address, method, path, { user, body, timeoutMs }) {
  return new Promise((resolve) => {
    const headers = {
      authorization: `Basic ${Buffer.from(`${user.name}:${user.password}`).toString("base64")}`,
      ...(method === "POST" && { "content-type": "application/json" }),
    };
    const sent = request(`${address}/api/admin/v1${path}`, { method, headers, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part) => {
        text += part;
      });
      response.on("error", ({ code }) => resolve({ status: code }));
      response.on("end", () => {
        const outcome = response.headers["x-admin-outcome"];
        resolve({ status: response.statusCode, outcome, text, json: parsed(text) });
      });
    });
    sent.on("error", ({ code }) => resolve({ status: code }));
    setTimeout(() => {
      resolve({ status: "no answer" });
      sent.destroy();
    }, timeoutMs).unref();
    if (method === "GET") sent.end();
    else {
      sent.flushHeaders();
      Promise.resolve(body).then(
        (value) => sent.end(JSON.stringify(value)),
        (error) => sent.destroy(error),
      );
    }
  });
}

/** An error page of a balancer is not JSON. */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
