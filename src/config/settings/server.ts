import { setting } from "../setting.ts";
import { networkAddress, wholeNumber } from "../values.ts";

/** Where the gateway listens. */
export const serverSettings = {
  "server.port": setting(wholeNumber(0, 65535), "8988", "Port of the API; 0 takes any free port."),
  "server.address": setting(
    networkAddress(),
    "127.0.0.1",
    "Address to listen on; `0.0.0.0` or `::` for all interfaces.",
  ),
};
