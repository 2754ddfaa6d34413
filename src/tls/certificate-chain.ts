import type { X509Certificate } from "node:crypto";

/** A certificate, then its issuers one after the other, as far as `others` has them. */
export function chainFrom(certificate: X509Certificate, others: readonly X509Certificate[]): X509Certificate[] {
  const chain = [certificate];
  // A store may hold the same certificate for several keys.
  const known = new Set([certificate.fingerprint256]);
  let issuer: X509Certificate | undefined = certificate;
  while (issuer) {
    const last: X509Certificate = issuer;
    issuer = others.find((other) => !known.has(other.fingerprint256) && isIssuedBy(last, other));
    if (issuer === undefined) break;
    known.add(issuer.fingerprint256);
    chain.push(issuer);
  }
  return chain;
}

/** True when the issuer is among `others`, or the certificate is its own. */
export function hasIssuer(certificate: X509Certificate, others: readonly X509Certificate[]): boolean {
  return others.some((other) => isIssuedBy(certificate, other));
}

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}

/** A certificate for messages: its subject on one line. */
export function subjectOf({ subject, serialNumber }: X509Certificate): string {
  return subject?.replaceAll("\n", ", ") || `serial number ${serialNumber}`;
}

/** Why clients will not accept a certificate at this time, in epoch milliseconds; undefined when it is valid. */
export function validityProblem(certificate: X509Certificate, now: number): string | undefined {
  const { validFrom, validTo } = certificate;
  if (now > Date.parse(validTo)) return `the certificate ${subjectOf(certificate)} expired on ${validTo}`;
  if (now < Date.parse(validFrom)) return `the certificate ${subjectOf(certificate)} is not valid before ${validFrom}`;
  return undefined;
}
