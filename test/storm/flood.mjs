// Asks for positions over many connections, each time as soon as the last answer is there, and tries wrong passwords over some
// others. Arguments: URL of the API, credentials of each user. Sends counts of statuses when it is told to stop.
import { Agent, request } from "node:http";

const [url, connections, ...users] = process.argv.slice(2);
const GUESSERS = 8;
const agent = new Agent({ keepAlive: true, maxSockets: Number(connections) + GUESSERS });
const counts = {};
let going = true;

function send(authorization, body) {
  return new Promise((resolve) => {
    const headers = { authorization, "content-type": "application/json", "content-length": body.length };
    const sent = request(`${url}/positions`, { method: "POST", agent, headers }, (response) => {
      response.resume();
      response.on("close", () => resolve(response.statusCode));
    });
    sent.on("error", ({ code }) => resolve(code));
    sent.end(body);
  });
}

async function ask(authorization) {
  while (going) {
    const status = await send(authorization(), '{"projection":"Exchange/Symbol"}');
    counts[status] = (counts[status] ?? 0) + 1;
  }
}

let guess = 0;
function wrong() {
  guess += 1;
  return `Basic ${Buffer.from(`chief:guess ${guess}`).toString("base64")}`;
}

const callers = [
  ...Array.from({ length: Number(connections) }, (_, index) => ask(() => users[index % users.length])),
  ...Array.from({ length: GUESSERS }, () => ask(wrong)),
];
process.on("message", async () => {
  going = false;
  process.send({ counts });
  await Promise.race([Promise.all(callers), new Promise((resolve) => setTimeout(resolve, 2_000))]);
  process.exit(0);
});
process.send({ ready: true });
