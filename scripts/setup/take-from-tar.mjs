const blockSize = 512;

/**
 * The content of one file in a tar archive, by its name there. Nothing is written anywhere.
 * @param {AsyncIterable<Uint8Array>} archive
 * @param {string} wanted
 * @returns {AsyncGenerator<Uint8Array>}
 * @throws {Error} where it isn't in there, or ends too soon
 */
export async function* takeFromTar(archive, wanted) {
  /** @type {Uint8Array<ArrayBufferLike>} */
  let held = new Uint8Array();
  /** Bytes of the entry that the archive is in the middle of, and of the filling behind it. */
  let left = 0;
  let filling = 0;
  let isWanted = false;
  let isDone = false;
  for await (const piece of archive) {
    // What comes behind it is read, and dropped.
    if (isDone) continue;
    held = held.length === 0 ? piece : Buffer.concat([held, piece]);
    for (;;) {
      if (left > 0) {
        const part = held.subarray(0, left);
        if (isWanted && part.length > 0) yield part;
        held = held.subarray(part.length);
        left -= part.length;
        if (left > 0) break;
        if (isWanted) isDone = true;
        if (isDone) break;
      }
      if (filling > 0) {
        const skipped = Math.min(filling, held.length);
        held = held.subarray(skipped);
        filling -= skipped;
        if (filling > 0) break;
      }
      if (held.length < blockSize) break;
      const { name, size, isFile } = entryIn(held);
      held = held.subarray(blockSize);
      isWanted = isFile && name === wanted.replace(/^\.\//, '');
      left = size;
      filling = (blockSize - (size % blockSize)) % blockSize;
    }
  }
  if (!isDone) throw new Error(`${wanted} is not in its archive, or not whole`);
}

/** @param {Uint8Array} block the head of an entry */
function entryIn(block) {
  /** @type {(from: number, length: number) => string} */
  const text = (from, length) =>
    Buffer.from(block.subarray(from, from + length))
      .toString('latin1')
      .replace(/\0.*$/s, '');
  const size = parseInt(text(124, 12).trim() || '0', 8);
  if (!Number.isSafeInteger(size) || size < 0) throw new Error('it is no tar archive');
  const prefix = text(257, 5) === 'ustar' ? text(345, 155) : '';
  const name = `${prefix === '' ? '' : `${prefix}/`}${text(0, 100)}`.replace(/^\.\//, '');
  const kind = text(156, 1);
  return { name, size, isFile: kind === '0' || kind === '' };
}
