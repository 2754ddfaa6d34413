import { PassThrough } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { boundMessages } from "../../src/auth/ldap/message-bounds.ts";

const MIB = 1024 * 1024;

/** Tag and length of an LDAP message. */
function head(length: number): Buffer {
  const octets = Buffer.alloc(4);
  octets.writeUInt32BE(length);
  return Buffer.concat([Buffer.from([0x30, 0x84]), octets]);
}

function boundConnection(): { connection: PassThrough; problem: () => Error | undefined } {
  const connection = new PassThrough();
  let problem: Error | undefined;
  connection.on("error", (error) => {
    problem = error;
  });
  boundMessages(connection);
  return { connection, problem: () => problem };
}

async function write(connection: PassThrough, piece: Buffer): Promise<void> {
  connection.write(piece);
  await turn();
}

test.each([
  ["1 GiB", head(1024 * MIB)],
  ["one byte more than 32 MiB", head(32 * MIB + 1)],
  ["a length of eight octets", Buffer.from([0x30, 0x88, 0, 0, 0, 0])],
  ["a length of 127 octets", Buffer.from([0x30, 0xff, 0, 0, 0, 0])],
])("D-UAC 19: a message of %s ends the connection to the directory before its content has come", async (_, bytes) => {
  const { connection, problem } = boundConnection();
  await write(connection, bytes);
  expect(problem()?.message).toBe("the server sent a message of more than 32 MiB");
});

test("D-UAC 19: so do 256 MiB in all, in messages that are each short enough", async () => {
  const { connection, problem } = boundConnection();
  const message = Buffer.concat([head(8 * MIB), Buffer.alloc(8 * MIB)]);
  for (let count = 1; count <= 31; count += 1) await write(connection, message);
  expect(problem()).toBeUndefined();
  await write(connection, message);
  expect(problem()?.message).toBe("the server sent more than 256 MiB");
});

test("D-UAC 19: heads that come in pieces, and messages that share one, are read right", async () => {
  const { connection, problem } = boundConnection();
  const short = Buffer.from([0x30, 0x03, 1, 2, 3]);
  const bytes = Buffer.concat([short, short, head(300), Buffer.alloc(300, 0xff), short, head(33 * MIB)]);
  for (const byte of bytes.subarray(0, -1)) await write(connection, Buffer.from([byte]));
  expect(problem()).toBeUndefined();
  await write(connection, bytes.subarray(-1));
  expect(problem()?.message).toBe("the server sent a message of more than 32 MiB");
});
