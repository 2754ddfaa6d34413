import { PassThrough } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { boundMessages } from "../../src/auth/ldap/message-bounds.ts";

const MIB = 1024 * 1024;

/** Tag and length: of an LDAP message unless given. */
function head(length: number, tag = 0x30): Buffer {
  const octets = Buffer.alloc(4);
  octets.writeUInt32BE(length);
  return Buffer.concat([Buffer.from([tag, 0x84]), octets]);
}

function boundConnection(): { connection: PassThrough; problem: () => Error | undefined } {
  const connection = new PassThrough();
  let problem: Error | undefined;
  connection.on("error", (error) => {
    problem = error;
  });
  boundMessages(connection);
  connection.resume();
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
  const value = head(8 * MIB - 6, 0x04);
  const message = Buffer.concat([head(8 * MIB), value, Buffer.alloc(8 * MIB - value.length)]);
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

/** An entry with one attribute and empty values (RFC 4511 section 4.5.2). */
function entryOf(values: number): Buffer {
  const element = (tag: number, content: Buffer) => Buffer.concat([head(content.length, tag), content]);
  const set = element(0x31, Buffer.alloc(2 * values, Buffer.from([0x04, 0x00])));
  const attribute = element(0x30, Buffer.concat([Buffer.from([0x04, 0x01, 0x6d]), set]));
  const entry = element(0x64, Buffer.concat([Buffer.from([0x04, 0x01, 0x64]), element(0x30, attribute)]));
  return element(0x30, Buffer.concat([Buffer.from([0x02, 0x01, 0x02]), entry]));
}

test("D-UAC 19: a message of more than half a million values ends the connection, however short they are", async () => {
  const { connection, problem } = boundConnection();
  await write(connection, entryOf(499_000));
  expect(problem()).toBeUndefined();
  await write(connection, entryOf(500_000));
  expect(problem()?.message).toBe("the server sent a message of more than 500000 values");
});

test("D-UAC 19: so do four million values in all", async () => {
  const { connection, problem } = boundConnection();
  const message = entryOf(400_000);
  for (let count = 1; count <= 9; count += 1) await write(connection, message);
  expect(problem()).toBeUndefined();
  await write(connection, message);
  expect(problem()?.message).toBe("the server sent more than 4000000 values");
});

test("D-UAC 19: the client gets many short messages in several pieces, and nothing of a piece that is too much", async () => {
  const { connection, problem } = boundConnection();
  const pieces: number[] = [];
  connection.on("data", (piece: Buffer) => pieces.push(piece.length));
  await write(connection, Buffer.alloc(60_000, Buffer.from([0x30, 0x00])));
  expect(pieces).toEqual([16_384, 16_384, 16_384, 10_848]);
  await write(connection, head(33 * MIB));
  expect(pieces).toHaveLength(4);
  expect(problem()?.message).toBe("the server sent a message of more than 32 MiB");
});
