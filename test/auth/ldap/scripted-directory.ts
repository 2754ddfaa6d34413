import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { BerWriter } from "ldapts";

/** Attributes of an entry that the script gives. */
export type Attributes = Readonly<Record<string, readonly string[]>>;

/**
 * A server that says what no OpenLDAP does. `answer` gets the bytes of a search request as text and answers with entries by
 * name, `codeOf` says with which result code a bind or a search ends. One request in a packet, as small ones are on the
 * loopback address.
 */
export async function startScriptedDirectory(
  answer: (request: string) => Readonly<Record<string, Attributes>>,
  codeOf: (request: string) => number = () => 0,
) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("data", (packet: Buffer) => {
      for (const request of messagesIn(packet)) reply(socket, request);
    });
  });
  function reply(socket: Socket, { id, operation, text }: Request): void {
    const result = (writer: BerWriter): void => writeResult(writer, codeOf(text));
    if (operation === BIND) socket.write(message(id, BIND_DONE, result));
    if (operation !== SEARCH) return;
    for (const [name, attributes] of Object.entries(answer(text))) {
      socket.write(message(id, SEARCH_ENTRY, (writer) => entry(writer, name, attributes)));
    }
    socket.write(message(id, SEARCH_DONE, result));
  }
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `ldap://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

/** Protocol operations of RFC 4511. */
const [BIND, BIND_DONE, SEARCH, SEARCH_ENTRY, SEARCH_DONE] = [0x60, 0x61, 0x63, 0x64, 0x65];

interface Request {
  readonly id: number;
  readonly operation: number;
  readonly text: string;
}

/** Requests with lengths below 128 and 65,536 and with ids of one byte or more. */
function messagesIn(packet: Buffer): Request[] {
  const messages: Request[] = [];
  for (let rest = packet; rest.length > 0; ) {
    const first = rest[1] ?? 0;
    const header = first < 0x80 ? 2 : 2 + (first & 0x7f);
    const length = first < 0x80 ? first : rest.readUIntBE(2, first & 0x7f);
    const body = rest.subarray(header, header + length);
    const idLength = body[1] ?? 1;
    const operation = body[2 + idLength] ?? 0;
    messages.push({ id: body.readUIntBE(2, idLength), operation, text: body.toString("latin1") });
    rest = rest.subarray(header + length);
  }
  return messages;
}

function message(id: number, operation: number, content: (writer: BerWriter) => void): Buffer {
  const writer = new BerWriter();
  writer.startSequence();
  writer.writeInt(id);
  writer.startSequence(operation);
  content(writer);
  writer.endSequence();
  writer.endSequence();
  return writer.buffer;
}

function writeResult(writer: BerWriter, code: number): void {
  writer.writeEnumeration(code);
  writer.writeString("");
  writer.writeString("");
}

function entry(writer: BerWriter, name: string, attributes: Attributes): void {
  writer.writeString(name);
  writer.startSequence();
  for (const [type, values] of Object.entries(attributes)) {
    writer.startSequence();
    writer.writeString(type);
    writer.startSequence(0x31);
    for (const value of values) writer.writeString(value);
    writer.endSequence();
    writer.endSequence();
  }
  writer.endSequence();
}
