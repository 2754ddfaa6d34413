import { FixAcceptor, type FixPort, type PortGateway, type PortParts } from "./port.ts";

export interface FixPortOptions {
  /** Address to listen on; 127.0.0.1 unless given. Whoever reaches it can send orders. */
  readonly host?: string;
  /** Port of the first gateway, the next one has the next port; 0, the default, takes free ones. */
  readonly port?: number;
}

/** The FIX ports of an engine: one for each gateway. */
export class FixPorts {
  readonly #gateways: readonly PortGateway[];
  readonly #parts: PortParts;
  #acceptors: FixAcceptor[] = [];

  constructor(gateways: readonly PortGateway[], parts: PortParts) {
    this.#gateways = gateways;
    this.#parts = parts;
  }

  /** Opens all or none. Rejects with the error of `node:net`. */
  async open({ host = "127.0.0.1", port = 0 }: FixPortOptions): Promise<FixPort[]> {
    const ports: FixPort[] = [];
    try {
      for (const [index, gateway] of this.#gateways.entries()) {
        const acceptor = new FixAcceptor(gateway, this.#parts);
        this.#acceptors.push(acceptor);
        ports.push(await acceptor.listen(host, port === 0 ? 0 : port + index));
      }
    } catch (error) {
      await this.close();
      throw error;
    }
    return ports;
  }

  /** Logs all sessions out, and closes the ports. */
  async close(): Promise<void> {
    await Promise.all(this.#acceptors.splice(0).map((acceptor) => acceptor.close()));
  }
}
