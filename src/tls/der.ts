import forge from "node-forge";

const { asn1 } = forge;

/** A value in DER or BER (ITU-T X.690). */
export type DerNode = forge.asn1.Asn1;

/** Reads one value and everything in it. Throws when the bytes are none. */
export function readDer(bytes: Buffer): DerNode {
  return asn1.fromDer(bytes.toString("latin1"));
}

/** The values in a sequence, a set or an explicit tag; throws when the value has none. */
export function elementsOf(node: DerNode | undefined): readonly DerNode[] {
  if (node === undefined || typeof node.value === "string") throw new Error("ASN.1: a value with elements is missing");
  return node.value;
}

/** The bytes of an octet string, one character each; in BER it may come in pieces. */
export function octetsOf(node: DerNode | undefined): string {
  if (node === undefined) throw new Error("ASN.1: an octet string is missing");
  return typeof node.value === "string" ? node.value : node.value.map(octetsOf).join("");
}

export function octetStringOf(node: DerNode | undefined): Buffer {
  return Buffer.from(octetsOf(node), "latin1");
}

export function integerOf(node: DerNode | undefined): number {
  return asn1.derToInteger(octetsOf(node));
}

/** An object identifier in dots and digits. */
export function identifierOf(node: DerNode | undefined): string {
  return asn1.derToOid(octetsOf(node));
}

export function derOf(node: DerNode | undefined): Buffer {
  if (node === undefined) throw new Error("ASN.1: a value is missing");
  return Buffer.from(asn1.toDer(node).getBytes(), "latin1");
}
