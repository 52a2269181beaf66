import { isObject, type JsonValue } from '../../../contract/json/json.js';
import { emptyColumns, type Columns } from '../record-parts.js';
import type { PartRef } from './parts.js';
import type { Positions } from './positions.js';

/** An entry of the log as it is kept: its position, and all of it as JSON. */
export type KeptEntry = readonly [position: number, text: string];

/** What the text of a head says. */
export interface HeadContent {
  /** How many changes there were. The parts that one wrote begin with its number. */
  change: number;
  /** The change up to which parts that nobody refers to have been removed. */
  swept: number;
  columns: Columns;
  /** Columns that are too large for the head, and where they are. */
  large: Record<string, PartRef>;
  /** Of all entries of the log. */
  positions: Positions;
  /** Where the entries before the newest ones are: the last segment, which names the one before. */
  segment: PartRef | null;
  /** The newest entries, in the order in which they came. */
  tail: readonly KeptEntry[];
}

/** The content of a head that isn't there yet. */
export const noContent: HeadContent = {
  ...{ change: 0, swept: 0, columns: emptyColumns, large: {} },
  ...{ positions: [], segment: null, tail: [] },
};

/** @throws Error where it is none */
export function toHeadContent(text: string): HeadContent {
  const content = JSON.parse(text) as JsonValue;
  if (!isObject(content)) throw new Error('its head is no JSON object');
  const isWhole =
    [content['change'], content['swept']].every(Number.isSafeInteger) &&
    [content['columns'], content['large']].every((part) => isObject(part ?? null)) &&
    [content['positions'], content['tail']].every(Array.isArray);
  if (!isWhole) throw new Error('its head lacks something');
  return content as unknown as HeadContent;
}
