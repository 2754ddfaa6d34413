import { describe, expect } from "vitest";
import { credentials, openSuiteAuthentication } from "../support/access-files.ts";
import type { SuiteAuthentication } from "../support/world.ts";
import { post, rule } from "./rule.ts";

/** Checks of credentials are held while this header is there: as when a directory or a hash takes its time. */
const HELD = "Basic held";

interface HeldAuthentication extends SuiteAuthentication {
  /** Resolves when a login is held. */
  readonly asked: Promise<void>;
  /** Lets the held login continue, which is that of `chief`. */
  proceed(): void;
}

async function openHeld(): Promise<HeldAuthentication> {
  const { authenticator, close } = await openSuiteAuthentication();
  let proceed = (): void => {};
  let ask = (): void => {};
  const asked = new Promise<void>((resolve) => {
    ask = resolve;
  });
  const held = new Promise<void>((resolve) => {
    proceed = resolve;
  });
  return {
    credentials,
    close,
    proceed: () => proceed(),
    asked,
    authenticator: {
      authenticate: (header, caller) => {
        if (header !== HELD) return authenticator.authenticate(header, caller);
        ask();
        return held.then(() => authenticator.authenticate(credentials("chief"), caller));
      },
    },
  };
}

describe("D-LOAD 1: a change never overtakes a stop that arrived after it", () => {
  rule(
    "though the check of its credentials takes longer than the whole stop",
    async ({ http, gate, authentication }) => {
      const resuming = http({ ...post("/trading/resume", "{}"), authorization: HELD });
      await (authentication as HeldAuthentication).asked;
      expect((await http(post("/trading/halt", "{}"))).status).toBe(200);
      (authentication as HeldAuthentication).proceed();
      const { status, headers, body } = await resuming;
      expect({ status, outcome: headers["x-admin-outcome"] }).toEqual({ status: 429, outcome: "not-applied" });
      expect(body).toContain("A stop (haltTrading of everything) was asked for after this change");
      expect(gate.seen.map(({ method }) => method)).toEqual(["haltTrading"]);
      expect((await http(post("/trading/resume", "{}"))).status).toBe(200);
    },
    { authentication: openHeld },
  );
});
