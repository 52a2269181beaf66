import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { canonicalJson, type JsonValue } from '../json/json.js';

/** SHA-256 of a text's UTF-8 form, as 64 hexadecimal digits. */
export function sha256Hex(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text)));
}

/** Identifies a JSON value by content: the first 32 hexadecimal digits of the SHA-256 of its canonical form. */
export function digestOf(value: JsonValue): string {
  return sha256Hex(canonicalJson(value)).slice(0, 32);
}

/** A digest names the version of the identity that it was made of; one without a prefix is of version 1. */
export function versionedDigest(version: number, digest: string): string {
  return version === 1 ? digest : `${version}:${digest}`;
}

export function versionOf(digest: string): number {
  return Number(/^(\d+):/.exec(digest)?.[1] ?? 1);
}
