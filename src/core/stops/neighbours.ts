import type { AuditRecord } from "../records/record.ts";

/** Audit trails in one place with the own one of a gateway, such as those of all pods on one volume. */
export interface Neighbours {
  /** Trails of other gateways that no process of this machine holds. */
  abandoned(): Promise<readonly AbandonedTrail[]>;
  /** The records of all trails, the own one among them. */
  all(): AsyncIterable<AuditRecord>;
  /** Runs `use` while no other process of this machine runs its own; if another one takes too long, nonetheless. */
  alone(use: () => Promise<void>): Promise<void>;
}

export interface AbandonedTrail {
  readonly path: string;
  /** Another one after each change. */
  readonly version: string;
  records(): AsyncIterable<AuditRecord>;
}
