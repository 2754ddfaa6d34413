// #region imports
import { type AdminApi, AdminError, principal } from "trading-admin-api";
// #endregion

/** What happened to a halt that the host itself asks for. */
export async function haltGold(api: AdminApi): Promise<string> {
  // #region direct
  const monitor = api.as(principal("risk-monitor", ["HALT_RESUME_TRADING"]));
  try {
    await monitor.haltTrading({ projectionPath: "Account[GOLD]", reason: "limit breach" });
    return "accepted";
  } catch (error) {
    if (error instanceof AdminError) return error.outcome; // "unknown": read the state before anything else
    throw error;
  }
  // #endregion
}
