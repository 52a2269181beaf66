import { TactusError } from '../../../../contract/errors.js';
import { isObject, type JsonObject, type JsonValue } from '../../../../contract/json/json.js';

/** Rows that are to be written, and the columns that any of them has, in the order of the alphabet: tables in Lua have none. */
export interface Rows {
  rows: JsonObject[];
  columns: string[];
}

/** @throws TactusError file_failed for what are no rows, or none at all */
export function readRows(data: JsonValue | undefined, path: string): Rows {
  if (!Array.isArray(data) || data.length === 0)
    throw new TactusError('file_failed', `${path} can't be written: there are no rows`);
  const rows = data.map((row, i) => {
    if (isObject(row)) return row;
    // An empty table of Lua's is a list.
    if (Array.isArray(row) && row.length === 0) return {};
    throw new TactusError('file_failed', `${path} can't be written: row ${i + 1} is no table of columns`);
  });
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))].sort();
  return { rows, columns };
}
