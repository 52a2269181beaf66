/** UTF-8 both ways. Written out, for the workflow sandbox promises no TextEncoder. */
import { utf8Length } from '../../contract/json/json.js';

const chunk = 4096;

export function encodeUtf8(text: string): Uint8Array {
  const bytes = new Uint8Array(utf8Length(text));
  let length = 0;
  for (let i = 0; i < text.length; i++) {
    let code = text.charCodeAt(i);
    if (code < 0x80) {
      bytes[length++] = code;
      continue;
    }
    if (code < 0x800) {
      bytes[length++] = 0xc0 | (code >> 6);
      bytes[length++] = 0x80 | (code & 0x3f);
      continue;
    }
    if (code >= 0xd800 && code <= 0xdfff) {
      const low = text.charCodeAt(i + 1);
      if (code <= 0xdbff && low >= 0xdc00 && low <= 0xdfff) {
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        i++;
        bytes[length++] = 0xf0 | (code >> 18);
        bytes[length++] = 0x80 | ((code >> 12) & 0x3f);
        bytes[length++] = 0x80 | ((code >> 6) & 0x3f);
        bytes[length++] = 0x80 | (code & 0x3f);
        continue;
      }
      code = 0xfffd; // half a surrogate pair has no UTF-8 form
    }
    bytes[length++] = 0xe0 | (code >> 12);
    bytes[length++] = 0x80 | ((code >> 6) & 0x3f);
    bytes[length++] = 0x80 | (code & 0x3f);
  }
  return bytes;
}

/** Length of the UTF-8 sequence that starts at `at`, or 0 where the bytes aren't one. */
export function sequenceLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  const size =
    first >= 0xc2 && first < 0xe0
      ? 2
      : first >= 0xe0 && first < 0xf0
        ? 3
        : first >= 0xf0 && first < 0xf5
          ? 4
          : 0;
  if (size === 0 || at + size > bytes.length) return 0;
  for (let i = 1; i < size; i++) if (((bytes[at + i] ?? 0) & 0xc0) !== 0x80) return 0;
  const second = bytes[at + 1] ?? 0;
  if (first === 0xe0 && second < 0xa0) return 0; // longer than needed
  if (first === 0xed && second > 0x9f) return 0; // surrogates
  if (first === 0xf0 && second < 0x90) return 0;
  if (first === 0xf4 && second > 0x8f) return 0; // past U+10FFFF
  return size;
}

function codePointAt(bytes: Uint8Array, at: number, size: number): number {
  const byte = (i: number): number => bytes[at + i] ?? 0;
  if (size === 1) return byte(0);
  if (size === 2) return ((byte(0) & 0x1f) << 6) | (byte(1) & 0x3f);
  if (size === 3) return ((byte(0) & 0x0f) << 12) | ((byte(1) & 0x3f) << 6) | (byte(2) & 0x3f);
  return ((byte(0) & 0x07) << 18) | ((byte(1) & 0x3f) << 12) | ((byte(2) & 0x3f) << 6) | (byte(3) & 0x3f);
}

function decode(bytes: Uint8Array, onInvalid: () => number | null): string | null {
  let text = '';
  let units: number[] = [];
  for (let at = 0; at < bytes.length;) {
    const plain = asciiLength(bytes, at);
    if (plain > 0) {
      text += String.fromCodePoint(...units) + asciiText(bytes.subarray(at, at + plain));
      units = [];
      at += plain;
      continue;
    }
    const size = sequenceLength(bytes, at);
    if (size === 0) {
      const replacement = onInvalid();
      if (replacement === null) return null;
      units.push(replacement);
      at++;
    } else {
      units.push(codePointAt(bytes, at, size));
      at += size;
    }
    if (units.length >= chunk) {
      text += String.fromCodePoint(...units);
      units = [];
    }
  }
  return text + String.fromCodePoint(...units);
}

/** `apply`, for it takes the bytes as they are; spreading would walk an iterator. */
function asciiText(bytes: Uint8Array): string {
  // eslint-disable-next-line no-restricted-syntax -- `apply` takes any list of numbers; its type names only arrays
  return String.fromCharCode.apply(null, bytes as unknown as number[]);
}

/** How many of the bytes from `at` on are ASCII, looking at one chunk. */
function asciiLength(bytes: Uint8Array, at: number): number {
  const end = Math.min(bytes.length, at + chunk);
  let i = at;
  while (i < end && (bytes[i] ?? 0) < 0x80) i++;
  return i - at;
}

/** The text that the bytes hold, or null where they aren't UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | null {
  return decode(bytes, () => null);
}

/** For messages and logs, which must show something: what isn't UTF-8 becomes U+FFFD. */
export function decodeLossy(bytes: Uint8Array): string {
  return decode(bytes, () => 0xfffd) ?? '';
}
