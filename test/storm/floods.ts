import {
  asked,
  EMBEDDED,
  type Flood,
  garbled,
  held,
  NATS,
  NATS_TLS,
  pipelined,
  poured,
  REMOTE,
  REMOTE_TLS,
  SIMULATOR,
  SIMULATOR_NATS,
  TOKENS,
} from "./flood.ts";
import * as send from "./requests.ts";
import { DESKS } from "./users.ts";

const [DESK] = DESKS;

const LARGEST_DOCUMENT = "/swagger-ui/swagger-ui-bundle.js";

const WITHOUT_CREDENTIALS: readonly Flood[] = [
  {
    name: "requests without credentials, pipelined over 8 connections",
    needs: "nothing",
    parts: [pipelined(8, send.anonymous())],
  },
  {
    name: "requests without credentials, pipelined over 64 connections",
    needs: "nothing",
    parts: [pipelined(64, send.anonymous())],
    shortRun: REMOTE_TLS,
    standsFor: "requests",
  },
  {
    name: "requests without credentials from 2,000 addresses, pipelined over 64 connections",
    needs: "nothing",
    parts: [pipelined(64, ...send.fromEverywhere(send.anonymous()))],
  },
  {
    name: "requests without credentials, one at a time over 400 connections",
    needs: "nothing",
    parts: [asked(400, send.anonymous())],
  },
  {
    name: "a Forwarded header of 15 KB over 8 connections",
    needs: "nothing",
    parts: [asked(8, send.longForwarded())],
    shortRun: REMOTE,
  },
  {
    name: "requests that the monitor leaves unanswered, over 2,000 connections",
    needs: "nothing",
    parts: [held(2_000, 0, send.page("/silent"))],
    fromElsewhere: true,
    shortRun: REMOTE,
    standsFor: "connections",
  },
  {
    name: "WebSockets through to the monitor, 1,500",
    needs: "nothing",
    parts: [held(1_500, 0, send.upgrade("/live"))],
    fromElsewhere: true,
    shortRun: EMBEDDED,
  },
  {
    name: "WebSockets through to a monitor that never ends them, 500",
    needs: "nothing",
    parts: [held(500, 0, send.upgrade("/silent"))],
  },
  {
    name: "bytes without end over 200 WebSockets through to the monitor",
    needs: "nothing",
    parts: [{ shape: "stream", connections: 200, requests: [send.upgrade("/live")] }],
    fromElsewhere: true,
    shortRun: EMBEDDED,
  },
  {
    name: "what the monitor sends without end, over 64 connections and 64 WebSockets",
    needs: "nothing",
    parts: [held(64, 0, send.page("/endless")), held(64, 0, send.upgrade("/endless"))],
    shortRun: NATS,
  },
  {
    name: "what the monitor sends often, over 250 connections and 250 WebSockets",
    needs: "nothing",
    parts: [held(250, 0, send.page("/often")), held(250, 0, send.upgrade("/often"))],
    fromElsewhere: true,
    shortRun: EMBEDDED,
  },
  {
    name: "a request byte by byte over 64 connections",
    needs: "nothing",
    parts: [{ shape: "drip", connections: 64, requests: [send.anonymous()] }],
    shortRun: REMOTE,
  },
  {
    name: "the health page, pipelined over 64 connections",
    needs: "nothing",
    parts: [pipelined(64, send.page("/actuator/health"))],
  },
  {
    name: "proxied paths, pipelined over 64 connections",
    needs: "nothing",
    parts: [pipelined(64, send.page("/quick"))],
    shortRun: REMOTE,
  },
  {
    name: "long bodies for the monitor, over 32 connections",
    needs: "nothing",
    parts: [poured(32, send.upload("/quick"))],
  },
  {
    name: "requests that the monitor answers all at the same time",
    needs: "nothing",
    parts: [asked(500, send.page("/together"))],
    fromElsewhere: true,
    shortRun: REMOTE,
  },
  {
    name: "requests and WebSockets that the monitor cuts off all at the same time",
    needs: "nothing",
    parts: [asked(250, send.page("/lost")), held(250, 0, send.upgrade("/lost"))],
    fromElsewhere: true,
  },
  {
    name: "wrong passwords, pipelined over 64 connections",
    needs: "nothing",
    parts: [pipelined(64, ...send.guesses(send.anonymous()))],
  },
  {
    name: "wrong passwords, one at a time over 500 connections",
    needs: "nothing",
    parts: [asked(500, ...send.guesses(send.anonymous()))],
    shortRun: TOKENS,
  },
  {
    name: "stops without credentials, pipelined over 64 connections",
    needs: "nothing",
    parts: [pipelined(64, send.halt())],
    shortRun: EMBEDDED,
  },
  {
    name: "stops with wrong passwords, pipelined over 64 connections",
    needs: "nothing",
    parts: [pipelined(64, ...send.guesses(send.halt()))],
    shortRun: REMOTE,
    standsFor: "passwords",
  },
  {
    name: "stops with wrong passwords, pipelined over 500 connections",
    needs: "nothing",
    parts: [pipelined(500, ...send.guesses(send.halt()))],
    fromElsewhere: true,
  },
  {
    name: "one wrong password for the health page, pipelined over 500 connections",
    needs: "nothing",
    parts: [pipelined(500, ...send.guesses(send.page("/actuator/health")).slice(0, 1))],
    fromElsewhere: true,
  },
  {
    name: "stops without credentials over connections that are reset immediately, 64 at a time",
    needs: "nothing",
    parts: [{ shape: "reset", connections: 64, requests: [send.halt()] }],
    fromElsewhere: true,
  },
  {
    name: "stops without credentials from 2,000 addresses, pipelined over 500 connections",
    needs: "nothing",
    parts: [pipelined(500, ...send.fromEverywhere(send.halt()))],
    fromElsewhere: true,
  },
  {
    name: "paths that look like those of stops, pipelined over 64 connections",
    needs: "nothing",
    parts: [pipelined(64, send.pretendedHalt())],
  },
  {
    name: "paths that a monitor might read in many ways, pipelined over 8 connections",
    needs: "nothing",
    parts: [poured(8, send.ambiguousPath())],
    shortRun: REMOTE,
  },
  {
    name: "wrong passwords over more connections than there may be, 700",
    needs: "nothing",
    parts: [poured(700, ...send.guesses(send.anonymous()))],
    fromElsewhere: true,
    shortRun: EMBEDDED,
  },
  {
    name: "bytes that are sent one by one without a pause, over 300 connections",
    needs: "nothing",
    parts: [{ shape: "shred", connections: 300, requests: [send.anonymous()] }],
    fromElsewhere: true,
    shortRun: REMOTE_TLS,
  },
  {
    name: "a connection for each request, 64 at a time",
    needs: "nothing",
    parts: [{ shape: "churn", connections: 64, requests: [send.anonymous()] }],
  },
  {
    name: "connections that end when they stand, 64 at a time",
    needs: "nothing",
    parts: [{ shape: "greet", connections: 64, requests: [] }],
    shortRun: NATS,
  },
  {
    name: "connections on which nothing is said, 2,000",
    needs: "nothing",
    parts: [{ ...held(2_000, 0), raw: true }],
  },
  {
    name: "requests that are not HTTP, 64 connections",
    needs: "nothing",
    parts: [pipelined(64, { method: "<", path: ">" })],
    shortRun: EMBEDDED,
  },
];

const BY_ANY_USER: readonly Flood[] = [
  {
    name: "bodies with 15,000 unknown fields over 8 connections",
    needs: "any user",
    parts: [asked(8, send.unknownFields(DESK))],
  },
  {
    name: "bodies with 15,000 unknown fields over 32 connections",
    needs: "any user",
    parts: [asked(32, send.unknownFields(DESK))],
    shortRun: REMOTE,
    standsFor: "bodies",
  },
  {
    name: "bodies with one long text over 32 connections",
    needs: "any user",
    parts: [asked(32, send.longText(DESK))],
  },
  {
    name: "bodies of nested arrays over 32 connections",
    needs: "any user",
    parts: [asked(32, send.nested(DESK))],
  },
  {
    name: "bodies of short arrays over 32 connections",
    needs: "any user",
    parts: [poured(32, send.shortArrays(DESK))],
    shortRun: REMOTE,
  },
  {
    name: "bodies in chunks of a byte over 32 connections",
    needs: "any user",
    parts: [poured(32, send.tinyChunks(DESK))],
    shortRun: EMBEDDED,
  },
  {
    name: "500 bodies that lack their last byte",
    needs: "any user",
    parts: [held(500, 1, send.longText(DESK))],
    shortRun: REMOTE,
  },
  {
    name: "10,000 positions over 100 connections",
    needs: "any user",
    parts: [asked(100, ...DESKS.map(send.positions))],
    shortRun: EMBEDDED,
  },
  {
    name: "10,000 positions whose rows nobody takes, over 100 connections",
    needs: "any user",
    parts: [{ shape: "unread", connections: 100, requests: DESKS.map(send.positions), batch: 10 }],
    shortRun: NATS,
    standsFor: "replies",
  },
  {
    name: "few positions over 50 connections, and 10,000 whose rows nobody takes over 100",
    needs: "any user",
    parts: [
      asked(50, ...DESKS.map(send.fewPositions)),
      { shape: "unread", connections: 100, requests: DESKS.map(send.positions), batch: 10 },
    ],
    shortRun: REMOTE,
  },
  {
    name: "240 positions over 100 connections",
    needs: "any user",
    parts: [asked(100, ...DESKS.map(send.somePositions))],
    shortRun: NATS,
  },
  {
    name: "10,000 positions over connections that are reset immediately, 64 at a time",
    needs: "any user",
    parts: [{ shape: "reset", connections: 64, requests: DESKS.map(send.positions) }],
    fromElsewhere: true,
  },
  {
    name: "HEAD and OPTIONS, pipelined over 64 connections",
    needs: "any user",
    parts: [pipelined(64, send.status(DESK, "HEAD"), send.status(DESK, "OPTIONS"))],
  },
  {
    name: "paths that do not exist, pipelined over 64 connections",
    needs: "any user",
    parts: [pipelined(64, send.unknownPath(DESK))],
  },
  {
    name: "small reads, pipelined over 64 connections",
    needs: "any user",
    parts: [pipelined(64, ...DESKS.map((desk) => send.status(desk)))],
  },
  {
    name: "headers of 15 KB, pipelined over 64 connections",
    needs: "any user",
    parts: [poured(64, send.longHeaders(DESK))],
  },
  {
    name: "queries of 8 KB, pipelined over 64 connections",
    needs: "any user",
    parts: [poured(64, send.longQuery(DESK))],
  },
  {
    name: "the documents, pipelined over 64 connections",
    needs: "any user",
    parts: [pipelined(64, send.document("/v3/api-docs", DESK), send.document("/swagger-ui.html", DESK))],
    shortRun: REMOTE_TLS,
  },
  {
    name: "the largest document, pipelined over 64 connections",
    needs: "any user",
    parts: [pipelined(64, send.document(LARGEST_DOCUMENT, DESK))],
  },
  {
    name: "the largest document, which nobody takes, over 300 connections",
    needs: "any user",
    parts: [{ shape: "unread", connections: 300, requests: [send.document(LARGEST_DOCUMENT, DESK)], batch: 10 }],
    shortRun: REMOTE_TLS,
  },
  {
    name: "the metrics, pipelined over 64 connections",
    needs: "any user",
    parts: [pipelined(64, send.document("/actuator/prometheus", DESK))],
  },
  {
    // Each reads without a pause, so they are worth some thousand consoles at their pace.
    name: "what 100 open consoles read",
    needs: "any user",
    parts: [asked(100, send.status(DESK), send.document("/console/user.json", DESK))],
  },
  {
    name: "mutations that are refused, pipelined over 24 connections",
    needs: "any user",
    parts: [pipelined(24, send.resume(DESK))],
    change: true,
    shortRun: REMOTE,
  },
];

const WITH_PERMISSION: readonly Flood[] = [
  {
    name: "a risk update of 7,000 empty commands, one at a time",
    needs: "a permission",
    parts: [asked(1, send.emptyCommands("risk"))],
    shortRun: REMOTE,
  },
  {
    name: "risk updates of 1,000 commands with 4 limits each over 4 connections",
    needs: "a permission",
    parts: [asked(4, send.largeUpdate("risk"))],
    shortRun: EMBEDDED,
  },
  {
    name: "risk updates as large that are refused over 4 connections",
    needs: "a permission",
    parts: [asked(4, ...send.wrongUpdates("risk"))],
    shortRun: REMOTE_TLS,
  },
  {
    name: "halts of another user, pipelined over 24 connections",
    needs: "a permission",
    parts: [pipelined(24, send.halt("deputy"))],
    shortRun: NATS,
    standsFor: "commands",
  },
  {
    name: "halts of another user with invalid input, pipelined over 24 connections",
    needs: "a permission",
    parts: [pipelined(24, send.invalidHalt("deputy"))],
    shortRun: NATS,
  },
  {
    name: "resumes of another user, pipelined over 24 connections",
    needs: "a permission",
    parts: [pipelined(24, send.resume("deputy"))],
  },
  {
    name: "adjustments of another user, pipelined over 24 connections",
    needs: "a permission",
    parts: [pipelined(24, send.adjustment("risk"))],
    shortRun: EMBEDDED,
  },
  {
    name: "halts of another user with a reason of 120 KB, over 4 connections",
    needs: "a permission",
    parts: [asked(4, send.longReason("deputy"))],
  },
];

const MIXTURES: readonly Flood[] = [
  {
    name: "requests without credentials, reads and bodies together",
    needs: "any user",
    parts: [
      pipelined(32, send.anonymous()),
      asked(50, ...DESKS.map(send.positions)),
      asked(8, send.unknownFields(DESK)),
    ],
    shortRun: NATS,
  },
  {
    name: "wrong passwords, new connections and requests that never end together",
    needs: "nothing",
    parts: [
      asked(16, ...send.guesses(send.anonymous())),
      { shape: "churn", connections: 32, requests: [send.anonymous()] },
      { shape: "drip", connections: 16, requests: [send.anonymous()] },
      held(1_000, 2, send.anonymous()),
    ],
    fromElsewhere: true,
    shortRun: EMBEDDED,
  },
  {
    name: "everything together",
    needs: "a permission",
    parts: [
      pipelined(16, send.anonymous()),
      pipelined(8, send.resume(DESK)),
      pipelined(8, ...send.guesses(send.halt())),
      pipelined(8, send.page("/quick")),
      asked(8, send.unknownFields(DESK)),
      asked(30, ...DESKS.map(send.positions)),
      asked(1, send.emptyCommands("risk")),
      asked(4, send.longForwarded()),
      held(100, 1, send.longText(DESK)),
      held(500, 0, send.upgrade("/live")),
      { shape: "churn", connections: 16, requests: [send.anonymous()] },
    ],
    shortRun: NATS_TLS,
    fromElsewhere: true,
  },
];

/** What comes over ports and links of the engine. */
const BESIDE_HTTP: readonly Flood[] = [
  {
    name: "garbled FIX bytes over 8 sessions",
    needs: "nothing",
    parts: [garbled(8)],
    sites: [EMBEDDED, SIMULATOR, SIMULATOR_NATS],
  },
  {
    name: "garbled FIX bytes over 64 connections",
    needs: "nothing",
    parts: [garbled(64)],
    sites: [EMBEDDED, SIMULATOR, SIMULATOR_NATS],
  },
  {
    name: "replies that nobody awaits, over the links of the engine",
    needs: "the engine",
    parts: [],
    fromEngine: "replies",
    sites: [REMOTE],
  },
  {
    name: "pings without end over the links of the engine",
    needs: "the engine",
    parts: [],
    fromEngine: "pings",
    sites: [REMOTE],
  },
  {
    name: "reports of its load without end over the links of the engine",
    needs: "the engine",
    parts: [],
    fromEngine: "reports",
    sites: [REMOTE],
  },
];

/** All floods that are tried. */
export const FLOODS: readonly Flood[] = [
  ...WITHOUT_CREDENTIALS,
  ...BY_ANY_USER,
  ...WITH_PERMISSION,
  ...MIXTURES,
  ...BESIDE_HTTP,
];
