import type { SchemaElement } from 'hyparquet';
import { TactusError } from '../../../../contract/errors.js';
import { isObject, type JsonObject, type JsonValue } from '../../../../contract/json/json.js';

interface Column {
  name: string;
  data: (JsonValue | undefined)[];
}

/** The columns of a file, and their values as the types of their columns have them. */
export interface Shaped {
  schema: SchemaElement[];
  values: unknown[][];
}

/**
 * The types that hold what the columns have: lists are lists, tables are groups of fields, and any value may be missing.
 * @throws TactusError file_failed naming a column whose values have no type in common
 */
export function schemaOf(columns: readonly Column[], path: string): Shaped {
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
