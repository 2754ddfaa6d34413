import type { EngineTransport } from "../../core/engine/transport.ts";

/** A way to the engine under test, for one case of {@link engineConformance}. */
export interface EngineFixture {
  /** The gateway's end, started, its state `up`. */
  readonly transport: EngineTransport;
  /** Frees the gateway's end, and the engine where it was started for this case alone. */
  close(): Promise<void>;
}

/** How patient the kit is. */
export interface EngineConformanceOptions {
  /** Milliseconds that the kit waits for each reply, and for what was accepted to be seen; 10,000 unless given. */
  readonly timeoutMs?: number;
}

/** A FIX session and its gateway. */
export interface SessionLandmark {
  readonly gateway: string;
  readonly session: string;
}

/**
 * What there is in the installation of the engine under test. The cases change it for a moment and put back what can be
 * put back, so it must not be an installation that trades. Nothing but the cases may change what is named here.
 */
export interface EngineLandmarks {
  /** Projection path of at least two segments; its trading, that of the path without its last segment and that of the root are halted and resumed. */
  readonly haltPath: string;
  readonly riskTable: {
    /** Projection of a table, of at least one key. */
    readonly projection: string;
    /** Two limits that the table has. */
    readonly limits: readonly [string, string];
    /** Conditions of two rows that the table does not have; the cases insert and delete them. */
    readonly rows: readonly [Readonly<Record<string, string>>, Readonly<Record<string, string>>];
  };
  /** A projection of known keys that is configured neither for risk limits nor for positions. */
  readonly unconfiguredProjection: string;
  readonly positions: {
    /** A configured position projection of at least two keys, one of them Symbol. */
    readonly projection: string;
    /** Two of its nodes without trading; their positions are adjusted, and are 0 in the end. */
    readonly paths: readonly [string, string];
    /** A filter whose key the projection does not hold. */
    readonly foreignFilter: "source" | "account" | "exchange" | "traderId" | "portfolioKey";
  };
  /** A trade connector and an algorithm; both are disabled and enabled. */
  readonly connector: string;
  readonly algorithm: string;
  readonly sessions: {
    /** Sessions that are connected when the engine starts, of a gateway that accepts connections and of one that makes them; they are disabled and enabled, which leaves them without a connection. */
    readonly disabled: readonly [SessionLandmark, SessionLandmark];
    /** Another connected session; its connection is dropped. */
    readonly disconnected: SessionLandmark;
  };
}

/** The landmarks of `examples/demo/installation.yaml`. */
export const DEMO_LANDMARKS: EngineLandmarks = {
  haltPath: "Source[FIXCLIENT1]/Account[GOLD]",
  riskTable: {
    projection: "Trader/Symbol",
    limits: ["MaxOrderSize", "MaxPositionLong"],
    rows: [
      { Trader: "conformance", Symbol: "EUR/USD" },
      { Trader: "conformance", Symbol: "*" },
    ],
  },
  unconfiguredProjection: "Destination/Trader",
  positions: {
    projection: "Account/Symbol",
    paths: ["Account[CONFORMANCE]/Symbol[EUR/USD]", "Account[CONFORMANCE]/Symbol[AAPL]"],
    foreignFilter: "exchange",
  },
  connector: "CME1",
  algorithm: "VWAP",
  sessions: {
    disabled: [
      { gateway: "MD1", session: "MDCLIENT1" },
      { gateway: "VENUES", session: "NASDAQ1" },
    ],
    disconnected: { gateway: "RFQ1", session: "EUR/USD desk" },
  },
};
