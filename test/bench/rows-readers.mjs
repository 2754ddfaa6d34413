// Callers who read lists one after the other, in a separate process: node rows-readers.mjs URL CALLERS. Tells its parent when each has
// read one.
import { once } from "node:events";
import { Agent, get } from "node:http";
import { pin } from "./cores.mjs";
import { AUTHORIZATION } from "./credentials.mjs";

const [, , url, callers] = process.argv;
const agent = new Agent({ keepAlive: true });

async function read() {
  const [response] = await once(get(url, { agent, headers: { authorization: AUTHORIZATION } }), "response");
  if (response.statusCode !== 200) throw new Error(`${url} was answered ${response.statusCode}`);
  for await (const _ of response);
}

pin(process.pid, 1);
process.once("disconnect", () => process.exit(0));
const each = Array.from({ length: Number(callers) });
await Promise.all(each.map(read));
process.send("read");
await Promise.all(
  each.map(async () => {
    for (;;) await read();
  }),
);
