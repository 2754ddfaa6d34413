import type { X509Certificate } from "node:crypto";
import { subjectOf } from "./certificate-chain.ts";

/** Why clients will not accept a certificate at this time, in epoch milliseconds; undefined when it is valid. */
export function validityProblem(certificate: X509Certificate, now: number): string | undefined {
  const { validFrom, validTo } = certificate;
  if (now > Date.parse(validTo)) return `the certificate ${subjectOf(certificate)} expired on ${validTo}`;
  if (now < Date.parse(validFrom)) return `the certificate ${subjectOf(certificate)} is not valid before ${validFrom}`;
  return undefined;
}
