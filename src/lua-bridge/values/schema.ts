import { TactusError, type ErrorDetails } from '../../contract/errors.js';
import {
  canonicalJson,
  getOwn,
  isObject,
  setOwn,
  type JsonObject,
  type JsonValue,
} from '../../contract/json/json.js';

const typeNames = {
  string: 'string',
  str: 'string',
  number: 'number',
  float: 'number',
  integer: 'integer',
  int: 'integer',
  boolean: 'boolean',
  bool: 'boolean',
  array: 'array',
  list: 'array',
  object: 'object',
  dict: 'object',
  table: 'table',
  any: 'any',
} as const;

export type FieldType = (typeof typeNames)[keyof typeof typeNames];

/** One declared field: `{type = "string", required = true, enum = {…}}`. `table` takes arrays and objects. */
export interface Field {
  type: FieldType;
  required: boolean;
  default?: JsonValue;
  enum?: JsonValue[];
  description?: string;
  items?: Field;
  properties?: Fields;
}

export type Fields = Record<string, Field>;

/** Declared fields by name, or one field where the whole value is one (`output = field.string{}`). */
export type Schema = { kind: 'fields'; fields: Fields } | { kind: 'value'; field: Field };

const attributes = ['type', 'required', 'default', 'enum', 'description', 'items', 'properties', 'fields'];

/**
 * Reads a declared schema.
 * @throws TactusError source_invalid where a type is unknown or a field isn't declared as a table or type name
 */
export function readSchema(declared: JsonValue, where: string): Schema {
  if (Array.isArray(declared) && declared.length === 0) return { kind: 'fields', fields: {} };
  if (!isObject(declared)) throw new TactusError('source_invalid', `${where} must be a table of fields`);
  const { type } = declared;
  const isOneField =
    typeof type === 'string' &&
    Object.hasOwn(typeNames, type) &&
    Object.keys(declared).every((key) => attributes.includes(key));
  if (isOneField) return { kind: 'value', field: readField(declared, where) };
  return { kind: 'fields', fields: readFields(declared, where) };
}

export function readFields(declared: JsonObject, where: string): Fields {
  const fields: Fields = {};
  for (const name of Object.keys(declared))
    setOwn(fields, name, readField(declared[name] ?? null, `${where}.${name}`));
  return fields;
}

function readField(declared: JsonValue, where: string): Field {
  if (typeof declared === 'string') return { type: readType(declared, where), required: false };
  if (!isObject(declared))
    throw new TactusError('source_invalid', `${where} must be a field, such as field.string{}`);
  const field: Field = {
    type: readType(declared['type'] ?? 'any', where),
    required: declared['required'] === true,
  };
  const { description, items } = declared;
  const properties = declared['properties'] ?? declared['fields'];
  if (Object.hasOwn(declared, 'default')) field.default = shape(field.type, declared['default'] ?? null);
  if (Array.isArray(declared['enum'])) field.enum = declared['enum'];
  if (typeof description === 'string') field.description = description;
  if (items !== undefined) field.items = readField(itemsOf(items), `${where}.items`);
  if (isObject(properties)) field.properties = readFields(properties, where);
  return field;
}

/** Items may be declared by their fields alone: `items = {name = field.string{}}`. */
function itemsOf(items: JsonValue): JsonValue {
  if (!isObject(items) || typeof items['type'] === 'string') return items;
  return Object.values(items).every(isObject) ? { type: 'object', properties: items } : items;
}

function readType(type: JsonValue, where: string): FieldType {
  const known = typeof type === 'string' ? fieldTypeOf(type) : undefined;
  if (known === undefined)
    throw new TactusError(
      'source_invalid',
      `${where} has the unknown type ${JSON.stringify(type)}; use one of ${Object.keys(typeNames).join(', ')}`,
    );
  return known;
}

/** The type that is called so, here or in Python; undefined where none is. */
export function fieldTypeOf(name: string): FieldType | undefined {
  return getOwn(typeNames as Record<string, FieldType>, name);
}

/** An empty Lua table is `[]`; where the schema says object it is `{}`. */
function shape(type: FieldType, value: JsonValue): JsonValue {
  if (type === 'object' && Array.isArray(value) && value.length === 0) return {};
  if (type === 'array' && isObject(value) && Object.keys(value).length === 0) return [];
  return value;
}

/** Codes of errors about a field: their details name it. */
type CodeOfField = {
  [Code in keyof ErrorDetails]: ErrorDetails[Code] extends { field: string } ? Code : never;
}[keyof ErrorDetails];

export interface CheckOptions {
  /** The code of the error about a field that is refused. */
  code: CodeOfField;
  /** What to do with members that the schema doesn't name. */
  unknown: 'refuse' | 'drop' | 'keep';
  /** Whether a missing required member is refused. */
  requireAll: boolean;
}

/**
 * The value as the schema has it: defaults filled in, empty tables shaped, unknown members treated as told.
 * @throws TactusError with the option's code, naming the field, what it must be and what it is
 */
export function checkValue(schema: Schema, value: JsonValue, options: CheckOptions): JsonValue {
  if (schema.kind === 'value') return checkField('value', schema.field, value, options);
  if (!isObject(value) && !(Array.isArray(value) && value.length === 0))
    throw new TactusError(
      options.code,
      `Expected an object with the fields ${Object.keys(schema.fields).join(', ')}, got ${describe(value)}`,
    );
  return checkFields('', schema.fields, isObject(value) ? value : {}, options);
}

function checkFields(path: string, fields: Fields, value: JsonObject, options: CheckOptions): JsonObject {
  const result: JsonObject = {};
  const missing: string[] = [];
  for (const [name, field] of Object.entries(fields)) {
    const given = getOwn(value, name) ?? null;
    const actual = given ?? field.default ?? null;
    if (actual !== null) setOwn(result, name, checkField(path + name, field, actual, options));
    else if (field.required && options.requireAll) missing.push(path + name);
  }
  const [field] = missing;
  if (field !== undefined)
    throw new TactusError(options.code, `Missing required field: ${missing.join(', ')}`, { field });
  for (const name of Object.keys(value)) {
    if (Object.hasOwn(fields, name) || options.unknown === 'drop') continue;
    if (options.unknown === 'refuse')
      throw new TactusError(
        options.code,
        `Unknown field: ${path}${name} (known are ${Object.keys(fields).join(', ') || 'none'})`,
        { field: path + name },
      );
    setOwn(result, name, value[name] ?? null);
  }
  return result;
}

/** Checks one value against its field. */
export function checkField(path: string, field: Field, value: JsonValue, options: CheckOptions): JsonValue {
  const shaped = shape(field.type, value);
  if (!matches(field.type, shaped))
    throw new TactusError(
      options.code,
      `Field ${path} must be ${withArticle(field.type)}, got ${describe(value)}${hintAt(field.type, value)}`,
      { field: path },
    );
  if (field.enum !== undefined && !allowedBy(field.enum).texts.has(canonicalJson(shaped)))
    throw new TactusError(
      options.code,
      `Field ${path} must be one of ${allowedBy(field.enum).shown}, got ${JSON.stringify(shaped)}`,
      { field: path },
    );
  if (Array.isArray(shaped) && field.items !== undefined) {
    const { items } = field;
    return shaped.map((item, i) => checkField(`${path}[${i + 1}]`, items, item, options));
  }
  if (isObject(shaped) && field.properties !== undefined)
    return checkFields(`${path}.`, field.properties, shaped, { ...options, unknown: 'keep' });
  return shaped;
}

interface Allowed {
  texts: ReadonlySet<string>;
  shown: string;
}

/** Made once for each enumeration: each item of a list is looked up in it. */
const allowed = new WeakMap<JsonValue[], Allowed>();

function allowedBy(values: JsonValue[]): Allowed {
  let known = allowed.get(values);
  if (known === undefined) {
    known = {
      texts: new Set(values.map(canonicalJson)),
      shown: values.map((value) => JSON.stringify(value)).join(', '),
    };
    allowed.set(values, known);
  }
  return known;
}

function matches(type: FieldType, value: JsonValue): boolean {
  switch (type) {
    case 'any':
      return true;
    case 'integer':
      return Number.isInteger(value);
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isObject(value);
    case 'table':
      return typeof value === 'object' && value !== null;
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === type;
  }
}

function withArticle(type: FieldType): string {
  if (type === 'any') return 'anything';
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}

function describe(value: JsonValue): string {
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty table' : 'an array';
  if (typeof value === 'object') return 'an object';
  const text = JSON.stringify(value);
  return `the ${typeof value} ${text.length > 40 ? `${text.slice(0, 40)}…` : text}`;
}

/** Integers that a number would round come as texts. */
function hintAt(type: FieldType, value: JsonValue): string {
  const isDigits = typeof value === 'string' && /^-?\d{16,}$/.test(value);
  return isDigits && (type === 'integer' || type === 'number')
    ? `; integers past 2^53 arrive as text: declare the field as field.string{} to keep all digits`
    : '';
}

/** The fields as JSON Schema, as models and tools take them. */
export function toJsonSchema(fields: Fields): JsonObject {
  const properties: JsonObject = {};
  for (const [name, field] of Object.entries(fields)) setOwn(properties, name, fieldSchema(field));
  const required = Object.keys(fields).filter((name) => getOwn(fields, name)?.required === true);
  return {
    type: 'object',
    properties,
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  };
}

export function fieldSchema(field: Field): JsonObject {
  const schema: JsonObject = {};
  if (field.type === 'table') schema['type'] = ['object', 'array'];
  else if (field.type !== 'any') schema['type'] = field.type;
  if (field.description !== undefined) schema['description'] = field.description;
  if (field.enum !== undefined) schema['enum'] = field.enum;
  if (field.default !== undefined) schema['default'] = field.default;
  if (field.type === 'array') schema['items'] = field.items === undefined ? {} : fieldSchema(field.items);
  if (field.properties !== undefined) Object.assign(schema, toJsonSchema(field.properties));
  return schema;
}
