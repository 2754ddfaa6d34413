// #region policy
import type { Policy } from "trading-admin-api/policy";

/** Limits are raised by the risk desk alone. */
export const onlyRiskDeskRaises: Policy = ({ principal, operation, direction }) => {
  if (operation !== "updateRiskTable" || direction !== "loosens") return undefined;
  return principal.name === "riskdesk" ? undefined : "only riskdesk may raise limits";
};
// #endregion
