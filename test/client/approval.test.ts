import { expect, it } from "vitest";
import type { ApprovedRequest } from "../../src/client/index.ts";
import { twoPerson } from "../../src/policy/two-person.ts";
import { only } from "../support/access-files.ts";
import { clientAt, clientOf, failureOf, withWorld } from "./calls.ts";
import { ScriptedServer } from "./scripted-server.ts";

it("D-UAC 23: the client tells whose request a change has approved before the call resolves, in the words of that user, and nothing of other calls", () =>
  withWorld(
    async (world, first) => {
      const approved: ApprovedRequest[] = [];
      const onApproval = (request: ApprovedRequest): void => void approved.push(request);
      const reason = "börse & mehr 交易";
      await failureOf(first.resumeTrading({ reason }, { requestId: "first", onApproval }));
      await first.haltTrading({ projectionPath: "Account[GOLD]" }, { onApproval });
      expect(approved).toEqual([]);
      const second = clientOf(world, only("HALT_RESUME_TRADING"));
      await second.resumeTrading({}, { onApproval });
      const requestedAt = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);
      expect(approved).toEqual([{ requestedBy: "chief", requestedAt, requestId: "first", requestReason: reason }]);
    },
    { policy: twoPerson({ operations: ["resumeTrading"] }) },
  ));

it.each(["", "nonsense", "requestedBy=alice", "%E0%A4%A", "__proto__=1"])(
  "D-UAC 23: X-Admin-Approves %j of a server that is not the gateway tells nothing, and the change is accepted",
  async (said) => {
    const headers = { "X-Admin-Outcome": "applied", "X-Admin-Approves": said };
    const server = await ScriptedServer.start((response) => response.writeHead(200, headers).end());
    const approved: unknown[] = [];
    const onApproval = (request: unknown): void => void approved.push(request);
    await clientAt(server.origin).resumeTrading({}, { onApproval });
    expect(approved).toEqual([]);
  },
);
