import type { EngineTransport } from "../../core/engine/transport.ts";
import type { OperationName } from "../../core/operations/table.ts";

/** A way to the engine under test, for one case of {@link engineConformance}. */
export interface EngineFixture {
  /** The gateway's end, started, its state `up`. */
  readonly transport: EngineTransport;
  /** Frees the gateway's end, and the engine where it was started for this case alone. */
  close(): Promise<void>;
}

/** Declarations of the engine, and time limits of the kit. */
export interface EngineConformanceOptions {
  /**
   * The operations that the engine has: the kit asks for no other, and one of them that is refused as unsupported fails. Without it,
   * those that the engine names in its description (`describeEngine`); without that, all that it does not refuse as unsupported (-32601).
   */
  readonly operations?: readonly OperationName[] | undefined;
  /** Milliseconds that the kit waits for each reply, and for what was accepted to be seen; 10,000 unless given. */
  readonly timeoutMs?: number;
}

/** A FIX session and its gateway. */
export interface SessionLandmark {
  readonly gateway: string;
  readonly session: string;
}

/**
 * What there is in the installation of the engine under test. Cases that need what is left out are not applicable. The cases change
 * it for a moment and put back what can be put back, so it must not be an installation that trades. Nothing but the cases may change
 * what is named here.
 */
export interface EngineLandmarks {
  /**
   * Projection path whose trading is halted and resumed, and that of the path without its last segment and of the root; best of two
   * segments or more. Without it, the root alone.
   */
  readonly haltPath?: string | undefined;
  /** A path to halt of which one value holds `/` and another `]`. */
  readonly oddHaltPath?: string | undefined;
  /** A risk table whose rows and limits the cases change. */
  readonly riskTable?:
    | {
        /** Projection of a table, of at least one key. */
        readonly projection: string;
        /** Limits that the table has; two, or one where it has no other. */
        readonly limits?: readonly string[] | undefined;
        /** Conditions of two rows that the table does not have, or of one; the cases insert and delete them. */
        readonly rows?: readonly Readonly<Record<string, string>>[] | undefined;
      }
    | undefined;
  /** A projection of known keys that is configured neither for risk limits nor for positions. */
  readonly unconfiguredProjection?: string | undefined;
  /** Positions that the cases adjust. */
  readonly positions?:
    | {
        /** A configured position projection. */
        readonly projection: string;
        /** Two of its nodes without trading, or one; their positions are adjusted, and are 0 in the end. */
        readonly paths?: readonly string[] | undefined;
        /** A filter whose key the projection does not hold. */
        readonly foreignFilter?: "source" | "account" | "exchange" | "traderId" | "portfolioKey" | undefined;
      }
    | undefined;
  /** A trade connector and an algorithm; both are disabled and enabled. */
  readonly connector?: string | undefined;
  /** Name of an algorithm that is disabled and enabled. */
  readonly algorithm?: string | undefined;
  /** FIX sessions that the cases control. */
  readonly sessions?:
    | {
        /**
         * Sessions that are connected when the engine starts, best one of a gateway that accepts connections and one of a gateway that makes
         * them; they are disabled and enabled, which leaves them without a connection until their peers come back.
         */
        readonly disabled?: readonly SessionLandmark[] | undefined;
        /** Another connected session; its connection is dropped. */
        readonly disconnected?: SessionLandmark | undefined;
      }
    | undefined;
}

/** The landmarks of `examples/demo/installation.yaml`. */
export const DEMO_LANDMARKS = {
  haltPath: "Source[FIXCLIENT1]/Account[GOLD]",
  oddHaltPath: "Symbol[BTC/USD]/Account[A]B]",
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
} satisfies EngineLandmarks;
