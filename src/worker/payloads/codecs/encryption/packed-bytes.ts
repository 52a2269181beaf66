import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

/** Less isn't worth the time. */
const leastBytes = 512;

/** What a payload may unpack to: an answer of a codec server has as much. What is larger isn't packed. */
export const mostUnpackedBytes = 64 * 1024 * 1024;

/** @returns null where it would not be smaller */
export async function pack(bytes: Uint8Array): Promise<Buffer | null> {
  if (bytes.length < leastBytes || bytes.length > mostUnpackedBytes) return null;
  const packed = await deflate(bytes);
  return packed.length < bytes.length ? packed : null;
}

/** @throws Error where it is damaged, or would be more than `mostUnpackedBytes` */
export function unpack(packed: Uint8Array): Promise<Buffer> {
  return inflate(packed, { maxOutputLength: mostUnpackedBytes });
}
