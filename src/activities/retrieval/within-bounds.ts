import type { Evidence, RetrievalBounds } from '../../contract/retrieval/retrieval.js';
import type { Found } from './search-index.js';

/** How many are looked for, so that enough are left where some don't count. */
export function candidatesOf({ limit, offset }: RetrievalBounds): number {
  return (limit + offset) * 10;
}

/** What whoever asks is given of what was found, best first. */
export function withinBounds(
  found: readonly Found[],
  { limit, offset, characters, perSource }: RetrievalBounds,
  snippet: number | null,
): Evidence[] {
  const given: Evidence[] = [];
  const ofSources = new Map<string, number>();
  let length = 0;
  for (const { path, start, end, text, score } of found.slice(offset)) {
    if (given.length === limit) break;
    const count = ofSources.get(path) ?? 0;
    if (perSource !== null && count >= perSource) continue;
    const shown = snippet === null ? text : beginning(text, snippet);
    if (characters !== null && length + shown.length > characters) continue;
    ofSources.set(path, count + 1);
    length += shown.length;
    given.push({
      ...{ id: `${path}#${start}-${end}`, item_id: path, rank: given.length + 1, score },
      ...{ text: shown, span_start: start, span_end: end },
    });
  }
  return given;
}

/** Not half of a character at its end. */
function beginning(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}
