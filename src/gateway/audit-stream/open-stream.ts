import type { ChainPosition } from "../../audit/chain.ts";
import { ConfigurationError } from "../../config/configuration-error.ts";
import type { Settings } from "../../config/settings.ts";
import type { AuditRecord, AuditSink } from "../../core/records/record.ts";
import { installed, nameOfGateway } from "../from-settings.ts";
import type { MonitorLog } from "../log/monitor-log.ts";
import type { SharedNats } from "../shared/shared-nats.ts";
import type { StreamPublisher } from "./publisher.ts";

/** An audit stream that is written behind an audit file. */
export interface OpenedStream {
  /** The file, with word of each record for the stream. */
  readonly sink: AuditSink;
  readonly publisher: Pick<StreamPublisher, "behind" | "close">;
}

export interface StreamNeeds {
  readonly settings: Settings;
  readonly log: MonitorLog;
  readonly nats: Pick<SharedNats, "connection"> | undefined;
}

/** Throws {@link ConfigurationError} where there is nothing to publish, or nowhere to publish to. */
export function checkStreamSettings(settings: Settings, hasNats: boolean): void {
  const { "admin.audit.stream": stream, "admin.audit.stream-required": isRequired } = settings;
  if (stream === undefined && isRequired) {
    throw new ConfigurationError("admin.audit.stream-required: needs admin.audit.stream, the name of the stream");
  }
  if (stream === undefined) return;
  if (settings["admin.audit.file"] === undefined) {
    throw new ConfigurationError("admin.audit.stream: needs admin.audit.file, whose lines are published");
  }
  if (!hasNats) {
    throw new ConfigurationError(
      "admin.audit.stream: needs NATS servers with JetStream: admin.shared.nats.url, or admin.engine.transport: nats",
    );
  }
}

/** Begins to publish the audit file at `path` to the stream of the settings; undefined where they name none. */
export async function openStream(
  { settings, log, nats }: StreamNeeds,
  path: string,
  file: ChainedSink,
): Promise<OpenedStream | undefined> {
  const stream = settings["admin.audit.stream"];
  if (stream === undefined || !nats) return undefined;
  const load = (): Promise<typeof import("./publisher.ts")> => import("./publisher.ts");
  const { StreamPublisher } = await installed(load, "admin.audit.stream", "@nats-io/jetstream");
  const last = () => file.last;
  const publisher = new StreamPublisher({ path, stream, gateway: nameOfGateway(settings), last, nats, log });
  publisher.start();
  return { sink: new StreamedAudit(file, publisher, settings["admin.audit.stream-required"]), publisher };
}

/** An audit sink that keeps its records in a chain. */
export interface ChainedSink extends AuditSink {
  /** Position of the last durable record. */
  readonly last: ChainPosition;
}

/** An audit file whose lines are published behind it; the intents of changes may have to be in the stream, too (decision D-LOG 22). */
class StreamedAudit implements AuditSink {
  readonly #file: ChainedSink;
  readonly #publisher: Pick<StreamPublisher, "notify" | "whenAcknowledged">;
  readonly #isRequired: boolean;

  constructor(file: ChainedSink, publisher: Pick<StreamPublisher, "notify" | "whenAcknowledged">, isRequired: boolean) {
    this.#file = file;
    this.#publisher = publisher;
    this.#isRequired = isRequired;
  }

  async write(record: AuditRecord): Promise<void> {
    await this.#file.write(record);
    this.#publisher.notify();
    if (!this.#isRequired || record.lane !== "change" || record.stage !== "intent") return;
    await this.#publisher.whenAcknowledged(this.#file.last.seq);
  }
}
