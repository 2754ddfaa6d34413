import { optional, setting } from "../setting.ts";
import { dataSize, duration, networkAddress, wholeNumber } from "../values.ts";

/** Where the gateway listens. */
export const serverSettings = {
  "server.port": setting(wholeNumber(0, 65535), "8988", "Port of the API; 0 takes any free port."),
  "server.address": setting(
    networkAddress(),
    "127.0.0.1",
    "Address to listen on; `0.0.0.0` or `::` for all interfaces.",
  ),
  "server.max-connections": setting(
    wholeNumber(16, 1_000_000),
    "8192",
    "Maximum number of concurrent connections. For a further one the oldest is dropped that is idle, slow to send its request, or in use by the monitor backend.",
  ),
  "server.header-timeout": setting(
    duration("100ms", "10m"),
    "10s",
    "How long the request line and headers of a request may take to arrive.",
  ),
  "server.request-timeout": setting(
    duration("100ms", "1h"),
    "60s",
    "How long a whole request may take to arrive, its body included; raise it where large files are sent to the monitor.",
  ),
  "server.keep-alive-timeout": setting(
    duration("1s", "1h"),
    "75s",
    "How long a connection may be idle between two requests; longer than a proxy in front keeps its own.",
  ),
  "server.stall-timeout": setting(
    duration("1s", "1h"),
    "120s",
    "How long nothing may move on a connection with a request in progress, such as when a caller does not take its response.",
  ),
  "server.max-http-request-header-size": setting(
    dataSize("1KB", "1MB"),
    "16KB",
    "Largest request line with headers; larger ones, and more than 1,000 fields, are rejected with 431.",
  ),
  "server.max-url-length": setting(
    wholeNumber(256, 1_000_000),
    "8192",
    "Longest path with query; a longer one is rejected with 414.",
  ),
  "server.shutdown.drain-time": setting(
    duration("0s", "5m"),
    "2s",
    "How long the gateway continues to serve after SIGTERM, while its readiness says no and each response ends its connection. If nobody " +
      "checked readiness in the minute before, it ends as soon as there is no connection.",
  ),
};

/** Where monitoring finds health and metrics (`docs/operate/monitoring.md`). */
export const managementSettings = {
  "management.server.port": optional(
    wholeNumber(0, 65535),
    "Port of its own for `/actuator`, plain HTTP, where metrics need no credentials; 0 takes any free port. Unless it is set, " +
      "`/actuator` is on the port of the API, and metrics need credentials.",
  ),
  "management.server.address": setting(
    networkAddress(),
    "127.0.0.1",
    "Address to listen on for `management.server.port`.",
  ),
};
