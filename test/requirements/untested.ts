/** Words of the specification that no test proves, and why. */
export interface Untested {
  /** Heading of `docs/specification.md` that the words stand under. */
  readonly section: string;
  readonly source: readonly string[];
  readonly reason: `not testable: ${string}`;
}

const OPEN = "not testable: the specification leaves it open";
const LEAD = "not testable: introduces the statements that follow";

/** All statements, or parts of them, without a test. */
export const untested: readonly Untested[] = [
  {
    section: "Administrative REST API Specification",
    source: [
      "This document covers the whole administrative interface of a trading engine: purpose, resources, states, endpoints, authentication, events, errors, limits and versioning.",
      "It is a single document.",
    ],
    reason: "not testable: about the document",
  },
  {
    section: "What the service does",
    source: [
      "The service is an administrative HTTP API for operators and automation scripts that control a running trading installation.",
      "It lets a caller:",
      "Conventions that apply to every operation:",
    ],
    reason: LEAD,
  },
  {
    section: "What the service does",
    source: ["clients re-read state before any retry."],
    reason: "not testable: advice to clients",
  },
  {
    section: "What the service does",
    source: [
      "Administrative operations change production state; the API is meant to be used over TLS and not to be exposed to the public Internet.",
    ],
    reason: "not testable: advice to deployers",
  },
  { section: "Risk table", source: ["(the full list of limit names: not shown) |"], reason: OPEN },
  {
    section: "Service (a trade connector or an algorithm)",
    source: ["(complete list: not shown) |"],
    reason: OPEN,
  },
  {
    section: "States and transitions",
    source: ["Transitions of the connection status caused by the network or the venue: not shown."],
    reason: OPEN,
  },
  {
    section: "Positions",
    source: [
      "This does not depend on the engine setting `engine.allowUnrestrictedPositionRequests`; other API clients see only positions of their own order source.",
    ],
    reason: "not testable: a setting and clients of the engine itself",
  },
  {
    section: "Authentication",
    source: [
      "Tokens are obtained by the client credentials grant (service accounts) or another flow the provider supports, and refreshed before expiry.",
    ],
    reason: "not testable: between clients and their identity provider",
  },
  {
    section: "Authentication",
    source: ["HTTP Basic is to be used only over TLS."],
    reason: "not testable: advice to deployers",
  },
  { section: "Authorization", source: ["Source of permissions:"], reason: LEAD },
  { section: "Events", source: ["clients: not shown.", "The only related facts:"], reason: OPEN },
  {
    section: "Limits",
    source: ["Rate limits, maximum body size and maximum number of commands: not shown."],
    reason: OPEN,
  },
  {
    section: "Versioning",
    source: ["Compatibility and deprecation policy between versions: not shown."],
    reason: OPEN,
  },
];
