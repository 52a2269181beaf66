import type { DataFileAction } from '../../../../contract/files/data-file.js';
import { TactusError, type ErrorCode } from '../../../../contract/errors.js';
import { isObject, type JsonObject, type JsonValue } from '../../../../contract/json/json.js';

/** What the thread is asked. */
export interface ThreadRequest extends DataFileAction {
  /** As the procedure names it. */
  path: string;
  /** The file as it is; null where it is to be made. */
  bytes: Uint8Array | null;
}

/** What was read, or the file as it is to be. */
export interface Done {
  value?: JsonValue;
  bytes?: Uint8Array;
}

export type ThreadAnswer = ({ ok: true } & Done) | { ok: false; code: ErrorCode; message: string };

/** A number as a procedure can hold it: past 2^53 its digits, infinities by their names, and nothing for what is no number. */
export function plainNumber(value: number | bigint): JsonValue {
  if (typeof value === 'bigint') {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : String(value);
  }
  if (Number.isNaN(value)) return null;
  return Number.isFinite(value) ? value : String(value);
}

/** `2024-02-29T12:30:00`, with what there is below a second in six digits. */
export function plainTime(micros: bigint): string {
  const below = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const date = new Date(Number((micros - below) / 1000n));
  if (Number.isNaN(date.getTime())) return String(micros);
  const fraction = below === 0n ? '' : `.${String(below).padStart(6, '0')}`;
  return date.toISOString().slice(0, -5) + fraction;
}

/** @throws TactusError file_failed for what is no text */
export function plainBytes(bytes: Uint8Array, what: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new TactusError('file_failed', `${what} holds bytes that are no text`);
  }
}

/** Rows that are to be written, and the columns that any of them has, in the order of the alphabet: tables in Lua have none. */
interface Rows {
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
