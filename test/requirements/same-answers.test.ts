import { beforeAll, describe, expect, it } from "vitest";
import { operationNames } from "../../src/core/operations/table.ts";
import { HTTP_MOUNTS } from "../support/mounts.ts";
import type { SuiteTransport } from "../support/suite-rig.ts";
import { TRANSPORTS } from "../support/verifies.ts";
import { type Answer, WAYS, type Way } from "../support/world.ts";
import { NARROW_BUS } from "./support/faults.ts";
import { play, SCRIPT } from "./support/script.ts";

/** The typed client runs over one mount. */
const CLIENTS = 1;

/** Steps and their responses as text: a difference shows the call it belongs to. */
function transcript(answers: readonly Answer[]): string[] {
  return answers.map(({ status, body }, index) => {
    const { name, input = {}, user = "chief", fault = "nothing wrong" } = SCRIPT[index] ?? {};
    return `${index}: ${user} calls ${name} ${JSON.stringify(input)}, ${fault} -> ${status} ${body}`;
  });
}

async function played(way: Way, transport: SuiteTransport): Promise<Answer[]> {
  const world = await way.open({ ...NARROW_BUS, transport });
  return play(world).finally(() => world.close());
}

describe.each(TRANSPORTS)("same statuses and bodies, byte for byte [%s]", (transport) => {
  const [direct, ...mounts] = WAYS;
  let expected: Answer[] = [];
  beforeAll(async () => {
    if (direct) expected = await played(direct, transport);
  });

  it("over a script that holds every operation, succeeding and failing, and every status", () => {
    expect([direct?.name, mounts.length]).toEqual(["direct", HTTP_MOUNTS.length + CLIENTS]);
    const calls = SCRIPT.map(({ name }, index) => ({ name, status: expected[index]?.status }));
    const well = new Set(calls.flatMap(({ name, status }) => (status === 200 ? [name] : [])));
    const badly = new Set(calls.flatMap(({ name, status }) => (status === 200 ? [] : [name])));
    expect(well).toEqual(new Set(operationNames));
    expect(badly).toEqual(new Set(operationNames));
    expect(new Set(calls.map(({ status }) => status))).toEqual(new Set([200, 400, 403, 404, 429, 500, 503, 504]));
  });

  it.each(mounts)("from $name as from a direct call", async (mount) => {
    expect(transcript(await played(mount, transport))).toEqual(transcript(expected));
  });
});
