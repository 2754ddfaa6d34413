import { optional } from "../setting.ts";
import { path, secret, urls } from "../values.ts";

/** What the gateways of one installation share. */
export const sharedSettings = {
  "admin.shared.nats.url": optional(
    urls("nats", "tls"),
    "NATS servers over which the gateways of this installation share approvals and failed logins; those of `admin.engine.url` where the engine " +
      "is on NATS.",
  ),
  "admin.shared.nats.token": optional(secret(), "Token that these servers ask for."),
  "admin.shared.nats.credentials": optional(path(), "NATS credentials file (`.creds`)."),
  "admin.shared.nats.tls.ca": optional(
    path(),
    "PEM file of the certificate authorities trusted for these servers; those known to Node.js unless it is set.",
  ),
  "admin.shared.nats.tls.certificate": optional(
    path(),
    "PEM file of the certificate that this gateway shows to these servers.",
  ),
  "admin.shared.nats.tls.private-key": optional(path(), "PEM file of the private key of that certificate."),
};
