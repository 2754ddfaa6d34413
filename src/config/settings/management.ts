import { optional, setting } from "../setting.ts";
import { networkAddress, wholeNumber } from "../values.ts";

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
