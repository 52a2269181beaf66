import { isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import type { Chunking, RetrieverId } from '../../contract/retrieval/retrieval.js';
import { wrong } from './wrong.js';

/**
 * How texts are cut: as a whole for `tf-vector`, by `chunk_size` and `chunk_overlap` for full-text search, else as `chunker` says,
 * by paragraphs without it.
 * @throws TactusError source_invalid
 */
export function readChunking(id: RetrieverId, index: JsonObject, what: string): Chunking {
  if (id === 'tf-vector') return { by: 'whole' };
  if (id === 'sqlite-full-text-search')
    return windows(
      'characters',
      { size: index['chunk_size'] ?? 800, overlap: index['chunk_overlap'] ?? 200 },
      what,
    );
  const chunker = index['chunker'] ?? null;
  if (chunker === null) return { by: 'paragraph' };
  if (!isObject(chunker)) throw wrong(`${what}: chunker must be a table with chunker_id`);
  const { chunker_id: said = null } = chunker;
  switch (typeof said === 'string' ? said : '') {
    case 'paragraph':
      return { by: 'paragraph' };
    case 'fixed-char-window':
      return windows(
        'characters',
        { size: chunker['window_characters'] ?? null, overlap: chunker['overlap_characters'] ?? 0 },
        what,
      );
    case 'fixed-token-window':
      return windows(
        'words',
        { size: chunker['window_tokens'] ?? null, overlap: chunker['overlap_tokens'] ?? 0 },
        what,
      );
    default:
      throw wrong(
        `${what}: the chunker_id ${JSON.stringify(said)} is not known; there are paragraph, fixed-char-window, fixed-token-window`,
      );
  }
}

function windows(
  by: 'characters' | 'words',
  { size, overlap }: { size: JsonValue; overlap: JsonValue },
  what: string,
): Chunking {
  if (!Number.isInteger(size) || Number(size) < 1)
    throw wrong(`${what}: a window of texts must have a size, an integer above 0`);
  if (!Number.isInteger(overlap) || Number(overlap) < 0 || Number(overlap) >= Number(size))
    throw wrong(`${what}: windows of texts must overlap by less than their size of ${Number(size)}`);
  return { by, size: Number(size), overlap: Number(overlap) };
}
