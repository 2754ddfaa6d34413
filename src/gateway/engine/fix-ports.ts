import { ConfigurationError } from "../../config/configuration-error.ts";
import type { Settings } from "../../config/settings.ts";
import type { FixPort } from "../../engine/fix/port.ts";
import type { SimulatedEngine } from "../../engine/simulated/simulated-engine.ts";
import { type ListenNames, listenReason } from "../server/server.ts";

const SETTINGS: ListenNames = { port: "admin.engine.fix-port", address: "admin.engine.fix-host" };

/**
 * Opens the FIX ports that the settings ask for. Where they name none, `preferred` is the first one, and free ones are taken if it is in
 * use. Throws {@link ConfigurationError} when one cannot be opened.
 */
export async function openFixPorts(
  engine: SimulatedEngine,
  settings: Settings,
  preferred?: number,
): Promise<readonly FixPort[]> {
  const host = settings["admin.engine.fix-host"];
  const port = settings["admin.engine.fix-port"];
  if (port !== undefined) return listenForFix(engine, { host, port }, SETTINGS);
  if (preferred === undefined) return [];
  try {
    return await engine.openFixPorts({ host, port: preferred });
  } catch {
    // Somebody else has it; the next line reports what is wrong with the address.
    return listenForFix(engine, { host, port: 0 }, SETTINGS);
  }
}

/** Opens the FIX ports; says what to change where one cannot be opened. */
export async function listenForFix(
  engine: SimulatedEngine,
  address: { readonly host: string; readonly port: number },
  names: ListenNames,
): Promise<readonly FixPort[]> {
  try {
    return await engine.openFixPorts(address);
  } catch (cause) {
    const reason = listenReason(cause as NodeJS.ErrnoException, names);
    throw new ConfigurationError(`${names.port}: cannot listen on ${address.host}:${address.port}: ${reason}`, {
      cause,
    });
  }
}
