import { X509Certificate } from "node:crypto";

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** Checks the certificates of authorities, PEM. Throws when one cannot be read: node:tls would silently trust none. */
export function checkAuthorities(ca: string | Buffer | undefined): void {
  if (ca === undefined) return;
  const certificates = ca.toString().match(CERTIFICATE);
  if (!certificates) throw new TypeError("there is no PEM certificate in the authorities (ca)");
  for (const certificate of certificates) new X509Certificate(certificate);
}
