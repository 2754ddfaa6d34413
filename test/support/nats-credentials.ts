import { nkeys } from "@nats-io/transport-node";

type KeyPair = ReturnType<typeof nkeys.createUser>;

/** An operator with one account and one user in it. */
export interface Operator {
  /** What makes a server trust the operator. */
  readonly configuration: string;
  /** Text of the user's credentials file. */
  readonly credentials: string;
}

/** Makes an operator with keys of its own. */
export function makeOperator(): Operator {
  const [operator, account, user] = [nkeys.createOperator(), nkeys.createAccount(), nkeys.createUser()];
  const operatorJwt = token(operator, operator, "operator", {});
  const accountJwt = token(account, operator, "account", {
    limits: { subs: -1, data: -1, payload: -1, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 },
  });
  const userJwt = token(user, account, "user", { subs: -1, data: -1, payload: -1 });
  const accountId = account.getPublicKey();
  return {
    configuration: `operator: ${operatorJwt}\nresolver: MEMORY\nresolver_preload: { ${accountId}: ${accountJwt} }`,
    credentials: [
      "-----BEGIN NATS USER JWT-----",
      userJwt,
      "------END NATS USER JWT------",
      "",
      "-----BEGIN USER NKEY SEED-----",
      new TextDecoder().decode(user.getSeed()),
      "------END USER NKEY SEED------",
      "",
    ].join("\n"),
  };
}

/** A claim about `subject`, signed by `issuer`, in the form of NATS (JWT with Ed25519 keys). */
function token(subject: KeyPair, issuer: KeyPair, type: string, claims: object): string {
  const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const iat = Math.floor(Date.now() / 1000);
  const [iss, sub] = [issuer.getPublicKey(), subject.getPublicKey()];
  const head = encoded({ typ: "JWT", alg: "ed25519-nkey" });
  const body = encoded({ jti: `${sub}-${iat}`, iat, iss, name: type, sub, nats: { ...claims, type, version: 2 } });
  const signature = Buffer.from(issuer.sign(new TextEncoder().encode(`${head}.${body}`))).toString("base64url");
  return `${head}.${body}.${signature}`;
}
