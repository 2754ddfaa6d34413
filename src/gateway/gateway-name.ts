import { hostname } from "node:os";
import type { Settings } from "../config/settings.ts";

/** Name of this gateway, in records and for people at the others. */
export function nameOfGateway(settings: Settings): string {
  return settings["admin.gateway.name"] ?? hostname();
}
