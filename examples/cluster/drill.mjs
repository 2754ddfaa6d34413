// Drills with several gateways: docs/deploy/several-gateways.md.
//
//   node drill.mjs                               lists the drills
//   node drill.mjs all | NAME ...                runs them on a new cluster; exit code 0 if all was seen that should be
//   node drill.mjs keep                          leaves the cluster to you until Ctrl-C
import { once } from "node:events";
import { Cluster } from "./cluster.mjs";
import { drills } from "./drills.mjs";

function usage() {
  const lines = Object.entries(drills).map(([name, { what }]) => `  ${name.padEnd(16)} ${what}`);
  console.log(`node drill.mjs all | keep | NAME ...\n\n${lines.join("\n")}`);
}

/** Prints what should be seen and whether it was, and counts what was not. */
function observer() {
  const see = (what, isSo, details) => {
    if (!isSo) see.missed += 1;
    const more = details === undefined ? "" : ` (${details})`;
    console.log(`  ${isSo ? "seen    " : "NOT SEEN"}  ${what}${more}`);
  };
  see.missed = 0;
  return see;
}

async function keep({ gateways, proxy, users, nats }) {
  for (const part of [proxy, ...gateways].filter(Boolean)) console.log(`${part.name.padEnd(10)} ${part.url}`);
  for (const { name, port } of nats) console.log(`${name.padEnd(10)} nats://127.0.0.1:${port}`);
  for (const { name, password } of Object.values(users)) console.log(`user ${name}, password ${password}`);
  for (const { auditFile } of gateways) console.log(`audit      ${auditFile}`);
  console.log("Ctrl-C ends it");
  await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
  return 0;
}

async function runDrills(cluster, chosen) {
  const see = observer();
  for (const name of chosen) {
    console.log(`\n${name}: ${drills[name].what}`);
    await drills[name].run(cluster, see);
  }
  console.log(see.missed === 0 ? "\nall was seen" : `\n${see.missed} NOT SEEN`);
  return see.missed === 0 ? 0 : 1;
}

/** Runs on a new cluster, which is ended in any case. */
async function onCluster(task) {
  const interrupted = Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
  const cluster = await Cluster.start();
  try {
    return await Promise.race([interrupted.then(() => 130), task(cluster)]);
  } finally {
    await cluster.end();
  }
}

async function main(names) {
  if (names.length === 0) {
    usage();
    return 0;
  }
  if (names.includes("keep")) return onCluster(keep);
  const chosen = names.includes("all") ? Object.keys(drills) : names;
  const unknown = chosen.filter((name) => !Object.hasOwn(drills, name));
  if (unknown.length === 0) return onCluster((cluster) => runDrills(cluster, chosen));
  console.error(`there is no drill ${unknown.join(", ")}`);
  usage();
  return 2;
}

try {
  process.exit(await main(process.argv.slice(2)));
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
