import { share } from './fengari.generated.js';
import { encodeUtf8 } from './text.js';

/** So many of so many characters are kept: those of our libraries, and of the fields that procedures have. */
const most = 2_000;
const longest = 63;

/**
 * Bytes of names by what they spell, for all states of a worker: a quarter of the memory of a small run would be copies of
 * them. Nobody writes to the bytes of a string, so no state can tell that they are shared.
 */
const known = new Map<string, Uint8Array>();

/** UTF-8 of the name of a field. Not to be written to. */
export function nameBytes(name: string): Uint8Array {
  const found = known.get(name);
  if (found !== undefined) return found;
  const bytes = share(encodeUtf8(name));
  if (name.length > longest) return bytes;
  // Runs name fields as they like: what is forgotten is only made again.
  if (known.size >= most) known.clear();
  known.set(name, bytes);
  return bytes;
}
