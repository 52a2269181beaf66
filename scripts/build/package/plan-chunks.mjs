/**
 * @typedef {import('./modules.mjs').Module} Module
 *
 * @typedef {object} Chunk
 * @property {string[]} modules
 * @property {number} bytes
 * @property {bigint} users which entries load it, a bit for each
 * @property {Set<string>} labels of its modules
 * @property {Set<Chunk>} below all that is loaded with it, itself included
 */

/**
 * Decides which modules share a file. Modules that the same entries load are one chunk, and no entry loads more than it needs. That
 * makes hundreds of small chunks: the smallest is joined with the one that costs least, in bytes that entries then load without
 * need, until there are few enough. An entry never loads a package or a room because of that which it would not load anyway, and an
 * entry that needs nothing of Node never loads anything that it doesn't need.
 * @param {Map<string, Module>} modules
 * @param {string[]} entries modules that are used by their paths
 * @param {number} most
 * @returns {string[][]} the modules of each chunk
 */
export function planChunks(modules, entries, most) {
  const loaded = [...modules.values()].flatMap(({ loads }) => loads);
  const starts = [...new Set([...entries, ...loaded])];
  /** @type {Map<string, bigint>} */
  const users = new Map();
  starts.forEach((start, index) => {
    for (const path of closure(start, (each) => modules.get(each)?.imports ?? []))
      users.set(path, (users.get(path) ?? 0n) | (1n << BigInt(index)));
  });
  let chunks = chunksOf(
    [...users].map(([path, bits]) => [[path], bits]),
    modules,
  );
  const known = starts.map((start, index) => {
    const labels = labelsOf(chunks.filter((chunk) => has(chunk.users, index)));
    // What needs nothing of Node may run where there is none, as workflows do, and share what it keeps with all of them: it gets nothing more.
    return entries.includes(start) && !labels.has('node:') ? new Set() : labels;
  });
  while (chunks.length > most) {
    const pair = cheapest(chunks, known);
    if (pair === null) break;
    join(...pair);
    chunks = chunksOf(
      chunks.map((chunk) => [chunk.modules, chunk.users]),
      modules,
    );
  }
  return chunks.map((chunk) => chunk.modules.sort());
}

/**
 * @param {[string[], bigint][]} parts modules, and who uses them
 * @param {Map<string, Module>} modules
 */
function chunksOf(parts, modules) {
  /** @type {Map<bigint, Chunk>} */
  const chunks = new Map();
  /** @type {Map<string, Chunk>} */
  const of = new Map();
  for (const [paths, users] of parts) {
    const chunk = chunks.get(users) ?? { modules: [], bytes: 0, users, labels: new Set(), below: new Set() };
    chunks.set(users, chunk);
    for (const path of paths) {
      const { code = '', labels = [] } = modules.get(path) ?? {};
      chunk.modules.push(path);
      chunk.bytes += code.length;
      for (const label of labels) chunk.labels.add(label);
      of.set(path, chunk);
    }
  }
  /** @param {Chunk} chunk */
  const next = (chunk) =>
    chunk.modules.flatMap((path) => modules.get(path)?.imports ?? []).flatMap((path) => of.get(path) ?? []);
  for (const chunk of chunks.values()) chunk.below = closure(chunk, next);
  return [...chunks.values()].sort((a, b) => a.bytes - b.bytes);
}

/**
 * @param {Chunk[]} chunks by size
 * @param {Set<string>[]} known labels of what each entry loads
 * @returns {[Chunk, Chunk] | null} the smallest chunk that can be joined, and what to join it with
 */
function cheapest(chunks, known) {
  const allowed = new Map(chunks.map((chunk) => [chunk, usersThatKnow(labelsOf([...chunk.below]), known)]));
  for (const chunk of chunks) {
    /** @type {{ other: Chunk, cost: number } | null} */
    let best = null;
    for (const other of chunks) {
      if (other === chunk) continue;
      const gainOther = chunk.users & ~other.users;
      const gainChunk = other.users & ~chunk.users;
      if ((gainOther & ~(allowed.get(other) ?? 0n)) !== 0n) continue;
      if ((gainChunk & ~(allowed.get(chunk) ?? 0n)) !== 0n) continue;
      if (best !== null && count(gainOther) * other.bytes + count(gainChunk) * chunk.bytes >= best.cost)
        continue;
      const cost = costOf(gainOther, other) + costOf(gainChunk, chunk);
      if (best === null || cost < best.cost) best = { other, cost };
    }
    if (best !== null) return [chunk, best.other];
  }
  return null;
}

/**
 * @param {bigint} users entries that come to load a chunk, and all that is below it
 * @param {Chunk} chunk
 */
function costOf(users, chunk) {
  return [...chunk.below].reduce((sum, each) => sum + each.bytes * count(users & ~each.users), 0);
}

/**
 * @param {Chunk} one
 * @param {Chunk} other
 */
function join(one, other) {
  const users = one.users | other.users;
  for (const each of [...one.below, ...other.below]) each.users |= users;
}

/**
 * @param {Set<string>} labels
 * @param {Set<string>[]} known
 */
function usersThatKnow(labels, known) {
  return known.reduce(
    (bits, each, index) =>
      [...labels].every((label) => each.has(label)) ? bits | (1n << BigInt(index)) : bits,
    0n,
  );
}

/** @param {Chunk[]} chunks */
function labelsOf(chunks) {
  return new Set(chunks.flatMap(({ labels }) => [...labels]));
}

/**
 * @template T
 * @param {T} start
 * @param {(each: T) => T[]} next
 */
function closure(start, next) {
  const found = new Set([start]);
  for (const each of found) for (const after of next(each)) found.add(after);
  return found;
}

/**
 * @param {bigint} bits
 * @param {number} index
 */
function has(bits, index) {
  return ((bits >> BigInt(index)) & 1n) === 1n;
}

/** @param {bigint} bits */
function count(bits) {
  let found = 0;
  for (let left = bits; left !== 0n; left &= left - 1n) found++;
  return found;
}
