// Policies: your own rule beside ready-made ones. Prints what each caller is told.
//
//   npm install trading-admin-api
//   node policy.mjs
import { principal } from "trading-admin-api";
import { allOf, freeze, stopOnly, twoPerson } from "trading-admin-api/policy";
import { startTestRig } from "trading-admin-api/testing";

/** Limits may be lowered by whoever may change them, and raised by the risk desk alone. */
function onlyRiskDeskLoosens({ principal: { name }, operation, direction, context }) {
  if (operation !== "updateRiskTable" || direction !== "loosens") return undefined;
  context.annotate("rule", "limits");
  return name === "riskdesk" ? undefined : "only riskdesk may raise limits";
}

const authorize = allOf(
  onlyRiskDeskLoosens,
  stopOnly(["monitor"]),
  freeze({ windows: ["Mon-Fri 09:25-09:35"], timeZone: "Europe/Berlin" }),
  twoPerson({ operations: ["resumeTrading"] }),
);

const rig = await startTestRig({
  authorize,
  users: { monitor: { password: "1" }, trader: { password: "2" }, riskdesk: { password: "3" } },
});

async function attempt(user, operation, input) {
  const end = await rig
    .as(user)
    [operation](input)
    .then(
      () => "sent",
      ({ status, message }) => `${status} ${message}`,
    );
  console.log(`${user} ${operation}: ${end.replace(/ by 20.*/, "")}`);
}

const { rows } = await rig.as(principal("viewer")).getRiskTable({ projection: "Account/Symbol" });
const { conditions } = rows.find(({ limits }) => limits.MaxOrderSize !== null);
const limit = (MaxOrderSize) => ({
  projection: "Account/Symbol",
  commands: [{ type: "UPDATE", conditions, limits: { MaxOrderSize } }],
});

await attempt("trader", "updateRiskTable", limit("1"));
await attempt("trader", "updateRiskTable", limit("1000000"));
await attempt("riskdesk", "updateRiskTable", limit("2"));
await attempt("monitor", "haltTrading");
await attempt("monitor", "resumeTrading");
await attempt("trader", "resumeTrading");
await attempt("riskdesk", "resumeTrading");
await rig.close();
