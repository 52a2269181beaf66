import type { JsonObject, JsonValue } from '../../contract/json/json.js';
import type { RetrievalBounds } from '../../contract/retrieval/retrieval.js';
import { wrong } from './wrong.js';

export const usualBounds: RetrievalBounds = { limit: 3, offset: 0, characters: null, perSource: null };

/** What is looked for is ten times as much, and the index gives 4,096 at most. */
const most = 400;

/**
 * Reads `{limit = 3, offset = 0, maximum_total_characters = 1200, maximum_items_per_source = 1}`; what it doesn't say is as
 * `before`.
 * @throws TactusError source_invalid
 */
export function readBounds(fields: JsonObject, before: RetrievalBounds, what: string): RetrievalBounds {
  const perSource = fields['maximum_items_per_source'] ?? fields['max_items_per_source'];
  const bounds = {
    limit: count(fields['limit'], 1, 'limit', what) ?? before.limit,
    offset: count(fields['offset'], 0, 'offset', what) ?? before.offset,
    characters:
      count(fields['maximum_total_characters'], 1, 'maximum_total_characters', what) ?? before.characters,
    perSource: count(perSource, 1, 'maximum_items_per_source', what) ?? before.perSource,
  };
  if (bounds.limit + bounds.offset > most) throw wrong(`${what}: limit and offset come to more than ${most}`);
  return bounds;
}

function count(value: JsonValue | undefined, least: number, name: string, what: string): number | null {
  if (value === undefined || value === null) return null;
  if (Number.isInteger(value) && Number(value) >= least) return Number(value);
  throw wrong(`${what}: ${name} must be an integer from ${least}`);
}
