import { objectIn } from "../../client/result.ts";
import { type Finding, findings } from "./network.ts";

/** What a bearer token says of itself. It is not verified here: that is the gateway's part. */
export function checkToken(authorization: string, now: number): Finding[] {
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
