import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import type { OperationName } from "../../src/core/operations/table.ts";
import { PERMISSIONS, type Permission } from "../../src/core/principal.ts";
import { only, USERS } from "../support/access-files.ts";
import { verifies } from "../support/verifies.ts";
import type { World } from "../support/world.ts";
import { MUTATIONS, READS } from "./support/endpoints.ts";
import { openGateway, verifiesGateway } from "./support/gateway.ts";
import { expectError, lacks, requestFor, usersWithout } from "./support/responses.ts";

const OPEN_READS: readonly OperationName[] = [
  "getTradingStatus",
  "getRiskTable",
  "listPositions",
  "listServices",
  "getService",
  "listFixGateways",
  "getFixGateway",
  "listFixSessions",
  "getFixSession",
];

/** Checks that a permission allows these mutations and no other. */
async function expectAllows(world: World, permission: Permission, allowed: readonly OperationName[]): Promise<void> {
  const user = only(permission);
  for (const { name, input, permission: needed } of MUTATIONS) {
    const answer = await world.call(name, input, user);
    if (allowed.includes(name)) expect({ name, status: answer.status }).toEqual({ name, status: 200 });
    else expectError(answer, 403, lacks(user, needed));
  }
  expect(world.gate.seen.map(({ method }) => method)).toEqual(allowed);
}

describe("authorization", () => {
  verifies("PERM-OPEN-READS", async (world) => {
    expect(READS.map(({ name }) => name)).toEqual(OPEN_READS);
    for (const { name, input } of READS) {
      for (const user of Object.keys(USERS)) {
        const { status } = await world.call(name, input, user);
        expect({ name, user, status }).toEqual({ name, user, status: 200 });
      }
    }
  });

  verifies("PERM-NEEDED", async (world) => {
    expect(PERMISSIONS).toHaveLength(5);
    for (const { name, input, permission } of MUTATIONS) {
      for (const user of usersWithout(permission)) {
        expectError(await world.call(name, input, user), 403, lacks(user, permission));
      }
    }
    expect(world.gate.seen).toEqual([]);
  });

  verifies("PERM-HALT-RESUME", (world) => expectAllows(world, "HALT_RESUME_TRADING", ["haltTrading", "resumeTrading"]));

  verifies("PERM-RISK", (world) => expectAllows(world, "CHANGE_RISK_LIMITS", ["updateRiskTable"]));

  verifies("PERM-POSITIONS", (world) => expectAllows(world, "POSITION_ADJUSTMENT", ["adjustPosition"]));

  verifies("PERM-SERVICES", (world) =>
    expectAllows(world, "ENABLE_DISABLE_SERVICE", ["disableService", "enableService"]),
  );

  verifies("PERM-FIX", (world) =>
    expectAllows(world, "CONTROL_FIX_SESSION", ["disableFixSession", "enableFixSession", "disconnectFixSession"]),
  );

  verifiesGateway("PERM-ACCESS-RULES", async ({ accessFiles, http }) => {
    const ofViewer = requestFor("haltTrading", "viewer");
    const ofChief = requestFor("haltTrading", "chief");
    expectError(await http(ofViewer), 403, lacks("viewer", "HALT_RESUME_TRADING"));
    expect(await http(ofChief)).toMatchObject({ status: 200 });
    const rule = "<allow><principal>viewer</principal><permission>HALT_RESUME_TRADING</permission></allow>";
    const rules = `<rules xmlns="http://xml.deltixlab.com/internal/quantserver/3.0">${rule}</rules>`;
    writeFileSync(join(accessFiles, "uac-access-rules.xml"), rules);
    const other = await openGateway(`security.uac.directory: ${accessFiles}`);
    try {
      expect(await other.http(ofViewer)).toMatchObject({ status: 200 });
      expectError(await other.http(ofChief), 403, lacks("chief", "HALT_RESUME_TRADING"));
    } finally {
      await other.close();
    }
  });
});
