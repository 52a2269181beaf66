import {
  parquetMetadataAsync,
  parquetReadObjects,
  parquetSchema,
  type ParquetParsers,
  type SchemaElement,
  type SchemaTree,
} from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { TactusError } from '../../../../contract/errors.js';
import { isObject, setOwn, type JsonObject, type JsonValue } from '../../../../contract/json/json.js';
import { plainBytes, plainNumber, plainTime, readRows, type Done, type ThreadRequest } from './messages.js';

/** What a file may hold where it is unpacked: rows, and bytes. More would never fit into a result. */
const mostRows = 500_000;
const mostBytes = 256 * 1024 * 1024;

/** Reads rows of a file of Parquet, or makes one. */
export async function parquet(request: ThreadRequest): Promise<Done> {
  return request.operation === 'write' ? { bytes: write(request) } : { value: await read(request) };
}

async function read({ bytes, path }: ThreadRequest): Promise<JsonValue> {
  const file = (bytes ?? new Uint8Array()).slice().buffer;
  const metadata = await parquetMetadataAsync(file, { parsers, geoparquet: false });
  const unpacked = metadata.row_groups.reduce((sum, group) => sum + Number(group.total_byte_size), 0);
  const rows = Number(metadata.num_rows);
  if (rows > mostRows || unpacked > mostBytes)
    throw new TactusError(
      'payload_too_large',
      `${path} holds ${rows} rows in ${unpacked} bytes; at most ${mostRows} rows in ${mostBytes} bytes can be read`,
    );
  const found = await parquetReadObjects({ file, metadata, compressors, parsers, geoparquet: false });
  const tree = parquetSchema(metadata);
  return found.map((row) => plainRow(row, tree));
}

function write({ data, path }: ThreadRequest): Uint8Array {
  const { rows, columns } = readRows(data, path);
  const columnData = columns.map((name) => ({
    name,
    data: rows.map((row) => (Object.hasOwn(row, name) ? row[name] : null)),
  }));
  const { schema, values } = schemaOf(columnData, path);
  return new Uint8Array(
    parquetWriteBuffer({
      schema,
      columnData: columnData.map(({ name }, i) => ({ name, data: values[i] ?? [] })),
    }),
  );
}

/** A time as it stands in a file, in microseconds since 1970. */
class Moment {
  constructor(readonly micros: bigint) {}
}

/** Dates of JavaScript know no microseconds, and text that isn't UTF-8 would be mended in silence. */
const parsers: Partial<ParquetParsers> = {
  timestampFromMilliseconds: (millis) => new Moment(millis * 1000n),
  timestampFromMicroseconds: (micros) => new Moment(micros),
  timestampFromNanoseconds: (nanos) => new Moment(nanos / 1000n),
  dateFromDays: (days) => new Date(days * 86_400_000).toISOString().slice(0, 10),
  stringFromBytes: (bytes: Uint8Array | undefined) =>
    bytes === undefined ? undefined : plainBytes(bytes, 'a column of texts'),
};

/** A row with the types that the file says. */
function plainRow(row: Record<string, unknown>, tree: SchemaTree): JsonObject {
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

interface Column {
  name: string;
  data: (JsonValue | undefined)[];
}

/** The columns of a file, and their values as the types of their columns have them. */
interface Shaped {
  schema: SchemaElement[];
  values: unknown[][];
}

/**
 * The types that hold what the columns have: lists are lists, tables are groups of fields, and any value may be missing.
 * @throws TactusError file_failed naming a column whose values have no type in common
 */
function schemaOf(columns: readonly Column[], path: string): Shaped {
  const schema: SchemaElement[] = [{ name: 'root', num_children: columns.length }];
  const values = columns.map(({ name, data }) => {
    const { elements, value } = typeOf(name, data, (problem) => {
      throw new TactusError('file_failed', `${path} can't be written: the column ${name} ${problem}`);
    });
    schema.push(...elements);
    return data.map((each) => value(each ?? null));
  });
  return { schema, values };
}

interface Typed {
  elements: SchemaElement[];
  value: (given: JsonValue) => unknown;
}
type Refuse = (problem: string) => never;

const optional = { repetition_type: 'OPTIONAL' } as const;

function typeOf(name: string, given: readonly (JsonValue | undefined)[], refuse: Refuse): Typed {
  const there = given.filter((each) => each !== null && each !== undefined);
  const kinds = [...new Set(there.map(kindOf))];
  // An empty table may be either.
  const kind =
    kinds.length === 2 && kinds.includes('list') && there.every(isTableOrEmpty) ? 'table' : kinds[0];
  if (kinds.length > 1 && kind !== 'table') refuse(`holds a ${kinds[0] ?? ''} and a ${kinds[1] ?? ''}`);
  if (kind === 'table') return groupOf(name, there, refuse);
  if (kind === 'list') return listOf(name, there as JsonValue[][], refuse);
  return { elements: [{ name, ...optional, ...leafOf(kind, there) }], value: leafValue(kind, there) };
}

function listOf(name: string, lists: readonly JsonValue[][], refuse: Refuse): Typed {
  const item = typeOf('element', lists.flat(), refuse);
  return {
    elements: [
      { name, ...optional, converted_type: 'LIST', logical_type: { type: 'LIST' }, num_children: 1 },
      { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
      ...item.elements,
    ],
    value: (given) => (Array.isArray(given) ? given.map((each) => item.value(each)) : null),
  };
}

function groupOf(name: string, tables: readonly JsonValue[], refuse: Refuse): Typed {
  const objects = tables.filter(isObject);
  const keys = [...new Set(objects.flatMap((each) => Object.keys(each)))].sort();
  const fields = keys.map((key) => ({
    key,
    ...typeOf(
      key,
      objects.map((each) => own(each, key)),
      refuse,
    ),
  }));
  return {
    elements: [
      { name, ...optional, num_children: keys.length },
      ...fields.flatMap(({ elements }) => elements),
    ],
    value: (given) =>
      given === null
        ? null
        : Object.fromEntries(
            fields.map(({ key, value }) => [key, value(isObject(given) ? own(given, key) : null)]),
          ),
  };
}

function leafOf(kind: string | undefined, values: readonly unknown[]): Partial<SchemaElement> {
  if (kind === 'boolean') return { type: 'BOOLEAN' };
  if (kind === 'number') return { type: values.every(Number.isSafeInteger) ? 'INT64' : 'DOUBLE' };
  return { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } };
}

function leafValue(kind: string | undefined, values: readonly unknown[]): Typed['value'] {
  const isWhole = kind === 'number' && values.every(Number.isSafeInteger);
  return (given) => (isWhole && typeof given === 'number' ? BigInt(given) : given);
}

function kindOf(value: JsonValue): string {
  if (Array.isArray(value)) return 'list';
  if (isObject(value)) return 'table';
  return typeof value === 'string' ? 'text' : typeof value;
}

function isTableOrEmpty(value: JsonValue): boolean {
  return isObject(value) || (Array.isArray(value) && value.length === 0);
}

function own(table: JsonObject, key: string): JsonValue {
  return Object.hasOwn(table, key) ? (table[key] ?? null) : null;
}
