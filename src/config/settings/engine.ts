import { TIMEOUT_BOUNDS } from "../../core/engine/engine-link.ts";
import { durationWithin } from "../quantities.ts";
import { optional, setting } from "../setting.ts";
import { choice, networkAddress, path, secret, urls, wholeNumber } from "../values.ts";

export const engineSettings = {
  "admin.engine.transport": setting(
    choice("in-process", "websocket", "nats"),
    "in-process",
    "How the engine is reached: `in-process` embeds the simulated engine, for tests and demonstrations, `websocket` and `nats` reach one in another process.",
  ),
  "admin.engine.url": optional(
    urls("ws", "wss", "nats", "tls"),
    "Where the engine is: `wss://engine:8989` for `websocket`, the servers of the cluster for `nats`.",
  ),
  "admin.engine.token": optional(secret(), "Token that the engine, or the NATS server, asks for."),
  "admin.engine.credentials": optional(path(), "NATS credentials file (`.creds`)."),
  "admin.engine.tls.ca": optional(
    path(),
    "PEM file of the certificate authorities trusted for the engine; those known to Node.js unless it is set.",
  ),
  "admin.engine.tls.certificate": optional(
    path(),
    "PEM file of the certificate that this gateway shows to the engine.",
  ),
  "admin.engine.tls.private-key": optional(path(), "PEM file of the private key of that certificate."),
  "admin.engine.request-timeout": setting(
    durationWithin(TIMEOUT_BOUNDS),
    "10s",
    "How long the engine may take to reply to a request.",
  ),
  "admin.engine.installation": optional(path(), "YAML file that describes the installation the engine runs."),
  "admin.engine.fix-port": optional(
    wholeNumber(0, 65_535),
    "First port at which FIX 4.4 clients send orders to the embedded simulated engine: one for each order-entry gateway, in the order of " +
      "the installation; 0 takes free ones. Without it there are none; `serve` without a configuration has 9880, or free ones.",
  ),
  "admin.engine.fix-host": setting(
    networkAddress(),
    "127.0.0.1",
    "Address on which the FIX ports listen. FIX clients do not log in: whoever reaches it can send orders to the simulated engine.",
  ),
};

/** Settings for state that the gateways of one installation share. */
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
