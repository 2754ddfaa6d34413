import { objectIn } from "../../client/result.ts";
import { callerOf } from "../connection/caller.ts";
import { type Connection, connect } from "../connection/connect.ts";
import { nodeFetch } from "../connection/node-fetch.ts";
import { EXIT, UsageError } from "../exit-codes.ts";
import type { Options, Run } from "../framework/definition.ts";
import { type Row, textColumns, wrapped } from "../output/columns.ts";
import { formatOf, isForPeople } from "../output/format.ts";
import { printRows, widthOfOutput } from "../output/print.ts";
import { printInfo } from "../terminal/messages.ts";
import { checkGateway } from "./gateway.ts";
import { checkAddress, type Finding, findings } from "./network.ts";

const COLUMNS = textColumns("result", "check", "detail");

/** `doctor`: looks at everything between this command line and the engine, and sends no command. Exit code 1 when something failed. */
export const run: Run = async ({ options }) => {
  const found = await examine(options);
  const format = formatOf(options);
  // A finding that is cut off would be useless, so it continues on the next line.
  const rows = format === "table" ? found.flatMap((finding) => linesOf(finding, found)) : found;
  await printRows({ value: found, rows, columns: COLUMNS }, format === "table" ? "wide" : format);
  const failed = found.filter(({ result }) => result === "failed").length;
  if (failed > 0) printInfo(`${failed} of ${found.length} checks failed`);
  else if (isForPeople(format)) printInfo("nothing is wrong that can be seen from here");
  return failed === 0 ? EXIT.done : EXIT.failed;
};

/** The least room for what was found, in characters. */
const MIN_COLUMNS = 30;

/** A finding in as many lines as it takes in a terminal. */
function linesOf(finding: Finding, found: readonly Finding[]): Row[] {
  const before = "warning  ".length + Math.max(...found.map(({ check }) => check.length)) + 2;
  const room = Math.max(MIN_COLUMNS, widthOfOutput() - before);
  const [first = "", ...others] = wrapped(finding.detail, room);
  return [{ ...finding, detail: first }, ...others.map((detail) => ({ check: "", result: "", detail }))];
}

async function examine(options: Options): Promise<Finding[]> {
  let connection: Connection;
  try {
    connection = await connect(options);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return [findings("settings").failed(error.message)];
  }
  const found = await Promise.all(connection.addresses.map((address) => examineAddress(address, connection)));
  return [...distinct(found.flat()), ...(await checkCaller(connection, found.flat()))];
}

async function examineAddress(address: URL, { tls, credentials, settings }: Connection): Promise<Finding[]> {
  const network = await checkAddress(address, tls, Date.now());
  if (network.some(({ result }) => result === "failed")) return network;
  try {
    const authorization = await credentials.authorization();
    return [
      ...network,
      ...(await checkGateway({ address, fetch: nodeFetch(tls), authorization, caller: callerOf(settings) })),
    ];
  } catch (error) {
    return [...network, findings("credentials").failed((error as Error).message)];
  }
}

/** Several addresses of an installation say the same of credentials and engine. */
function distinct(found: readonly Finding[]): Finding[] {
  return [...new Map(found.map((finding) => [JSON.stringify(finding), finding])).values()];
}

/** Checks the caller by the credentials themselves, for what no gateway has reported. */
async function checkCaller({ credentials, settings }: Connection, found: readonly Finding[]): Promise<Finding[]> {
  const isTold = found.some(({ check }) => check === "permissions");
  if (settings.credentials.user === undefined) {
    try {
      const said = checkToken(await credentials.authorization(), Date.now());
      return said.filter(({ check }) => !isTold || check !== "permissions");
    } catch (error) {
      return [findings("token").failed((error as Error).message)];
    }
  }
  const isKnown = found.some(({ check, result }) => check === "credentials" && result === "ok");
  if (isTold || !isKnown) return [];
  const where = "on the gateway's machine, trading-admin permissions --config application.yaml says who may do what";
  return [
    findings("permissions").unknown(
      `may read; other permissions cannot be determined without sending a command: ${where}`,
    ),
  ];
}

/** Findings from the claims of a bearer token. The gateway verifies it, not this program. */
function checkToken(authorization: string, now: number): Finding[] {
  const [, payload = ""] = authorization.split(".");
  const claims = objectIn(Buffer.from(payload, "base64url").toString());
  const { ok, warning, failed, unknown } = findings("token");
  if (Object.keys(claims).length === 0) return [unknown("opaque: only its issuer can say what is in it")];
  const { sub, iss, aud, exp } = claims;
  const what = `subject ${text(sub)}, issuer ${text(iss)}, audience ${text(aud)}`;
  const left = typeof exp === "number" ? Math.floor(exp - now / 1_000) : undefined;
  const expiry =
    left === undefined
      ? warning(`${what}, without expiry`)
      : left <= 0
        ? failed(`${what}, expired`)
        : ok(`${what}, ${left} s left`);
  return [expiry, authoritiesOf(claims)];
}

function authoritiesOf(claims: Readonly<Record<string, unknown>>): Finding {
  const { ok, unknown } = findings("permissions");
  const named = ["authorities", "roles", "scope"].flatMap((name) =>
    claims[name] === undefined ? [] : [`${name}: ${text(claims[name])}`],
  );
  if (named.length === 0)
    return unknown("the token has no usual claim of authorities; the gateway's settings say which one counts");
  return ok(`${named.join("; ")}; the gateway's settings say which claim counts, and what it stands for`);
}

function text(value: unknown): string {
  if (Array.isArray(value)) return value.join(", ") || "none";
  return value === undefined ? "none" : String(value);
}
