import type { ParquetParsers, SchemaElement, SchemaTree } from 'hyparquet';
import { setOwn, type JsonObject, type JsonValue } from '../../../../contract/json/json.js';
import { plainBytes, plainNumber, plainTime } from './plain.js';

/** A time as it stands in a file, in microseconds since 1970. */
class Moment {
  constructor(readonly micros: bigint) {}
}

/** Dates of JavaScript know no microseconds, and text that isn't UTF-8 would be mended in silence. */
export const parsers: Partial<ParquetParsers> = {
  timestampFromMilliseconds: (millis) => new Moment(millis * 1000n),
  timestampFromMicroseconds: (micros) => new Moment(micros),
  timestampFromNanoseconds: (nanos) => new Moment(nanos / 1000n),
  dateFromDays: (days) => new Date(days * 86_400_000).toISOString().slice(0, 10),
  stringFromBytes: (bytes: Uint8Array | undefined) =>
    bytes === undefined ? undefined : plainBytes(bytes, 'a column of texts'),
};

/** A row with the types that the file says. */
export function plainRow(row: Record<string, unknown>, tree: SchemaTree): JsonObject {
  const plain: JsonObject = {};
  for (const { element, children } of tree.children)
    setOwn(plain, element.name, plainValue(row[element.name], { element, children }));
  return plain;
}

function plainValue(value: unknown, tree: Pick<SchemaTree, 'element' | 'children'>): JsonValue {
  if (value === null || value === undefined) return null;
  if (tree.children.length > 0) return plainGroup(value, tree);
  // A plain field that is repeated.
  if (Array.isArray(value)) return value.map((each) => plainValue(each, tree));
  return plainLeaf(value, tree.element);
}

function plainGroup(value: unknown, tree: Pick<SchemaTree, 'element' | 'children'>): JsonValue {
  if (Array.isArray(value)) return value.map((each) => plainValue(each, itemOf(tree)));
  const entries = Object.entries(value as Record<string, unknown>);
  const isMap = ['MAP', 'MAP_KEY_VALUE'].includes(tree.element.converted_type ?? '');
  const valueOfMap = tree.children[0]?.children[1];
  const plain: JsonObject = {};
  for (const [key, each] of entries) {
    const child = isMap ? valueOfMap : tree.children.find(({ element }) => element.name === key);
    setOwn(plain, key, child === undefined ? null : plainValue(each, child));
  }
  return plain;
}

/** What a list is a list of: most writers put a group of one field around it. */
function itemOf(tree: Pick<SchemaTree, 'element' | 'children'>): Pick<SchemaTree, 'element' | 'children'> {
  if (tree.element.converted_type !== 'LIST' && tree.element.logical_type?.type !== 'LIST')
    return { element: { ...tree.element, repetition_type: 'REQUIRED' }, children: tree.children };
  const [repeated] = tree.children;
  if (repeated === undefined) return tree;
  return repeated.children.length === 1 && repeated.children[0] !== undefined
    ? repeated.children[0]
    : repeated;
}

function plainLeaf(
  value: unknown,
  { name, logical_type: logical, converted_type }: SchemaElement,
): JsonValue {
  if (value instanceof Moment)
    return plainTime(value.micros) + (isUtc(logical, converted_type) ? '+00:00' : '');
  if (logical?.type === 'TIME' || converted_type?.startsWith('TIME_') === true)
    return plainTime(microsOf(value as number | bigint, logical, converted_type)).slice('1970-01-01T'.length);
  if (typeof value === 'bigint' || typeof value === 'number') return plainNumber(value);
  if (value instanceof Uint8Array) return plainBytes(value, `the column ${name}`);
  if (value instanceof Date) return plainTime(BigInt(value.getTime()) * 1000n);
  return value as JsonValue;
}

function isUtc(logical: SchemaElement['logical_type'], converted: SchemaElement['converted_type']): boolean {
  return logical?.type === 'TIMESTAMP' ? logical.isAdjustedToUTC : converted !== undefined;
}

function microsOf(
  value: number | bigint,
  logical: SchemaElement['logical_type'],
  converted: SchemaElement['converted_type'],
): bigint {
  const unit = logical?.type === 'TIME' ? logical.unit : converted === 'TIME_MILLIS' ? 'MILLIS' : 'MICROS';
  const given = BigInt(value);
  return unit === 'MILLIS' ? given * 1000n : unit === 'NANOS' ? given / 1000n : given;
}
