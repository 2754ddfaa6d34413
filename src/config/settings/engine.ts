import { optional, setting } from "../setting.ts";
import { choice, duration, path, secret, urls } from "../values.ts";

/** The way to the engine. */
export const engineSettings = {
  "admin.engine.transport": setting(
    choice("in-process", "websocket", "nats"),
    "in-process",
    "How the engine is reached: `in-process` embeds the simulated engine, `websocket` and `nats` reach one in another process.",
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
    duration("1ms", "1h"),
    "10s",
    "How long the engine may take to reply to a request.",
  ),
  "admin.engine.installation": optional(path(), "YAML file that describes the installation the engine runs."),
};
