// Wrong passwords as fast as they are answered, another one each time: node guessing-attack.mjs URL SECONDS.
import autocannon from "autocannon";

const [url, seconds] = process.argv.slice(2);
let guess = 0;

const { statusCodeStats: stats } = await autocannon({
  url: `${url}/api/admin/v1/trading/status`,
  connections: 64,
  duration: Number(seconds),
  timeout: 60,
  setupClient(client) {
    const next = () => {
      guess += 1;
      client.setHeaders({ authorization: `Basic ${Buffer.from(`operator:guess ${guess}`).toString("base64")}` });
    };
    next();
    client.on("response", next);
  },
});
const statuses = Object.fromEntries(Object.entries(stats).map(([status, { count }]) => [status, count]));
const answers = Object.values(statuses).reduce((sum, count) => sum + count, 0);
process.send({ answers, statuses }, () => process.exit(0));
