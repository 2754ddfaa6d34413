/** Both ends of a connection. */
export interface ConnectionAddresses {
  readonly localIp: string;
  readonly localPort: number;
  readonly remoteIp: string;
  readonly remotePort: number;
}

/** State of a session outside its protocol: the session layer writes it, the API shows it. It outlives connections. */
export interface SessionRecord {
  readonly id: string;
  /** CompIDs by which the engine and its client go. */
  readonly senderId: string;
  readonly targetId: string;
  readonly isDisabled: boolean;
  /** From now on the session is that of a FIX client: numbers, counters and times begin anew. */
  takenBy(client: SessionControl): void;
  /** Next expected and next sent MsgSeqNum. */
  inboundSequence: number;
  outboundSequence: number;
  /** A message was received or sent. */
  received(bytes: number): void;
  sent(bytes: number): void;
  /** A client has logged on; a refused logon does not count. */
  connected(addresses: ConnectionAddresses): void;
  disconnected(): void;
}

/** The FIX client of a session, as those see it who control sessions. */
export interface SessionControl {
  /** Sends a Logout with a text and waits for the peer's, for a limited time; then the session has no connection. */
  logout(text: string): Promise<void>;
}
