import { isObject, type JsonObject, type JsonValue } from '../../../contract/json/json.js';
import { mapSchema } from '../map-schema.js';

/** Without an end of its own a small model writes on until its tokens are used up, and half a JSON is worth nothing. */
const longestString = 300;
const longestArray = 10;
/** A range as small as this becomes a list of numbers, since grammars know no bounds. */
const widestRange = 100;

/** The schema in the subset that becomes a grammar of the local model, at least as narrow where that can be said. */
export function grammarSchema(schema: JsonObject): JsonObject {
  return mapSchema(schema, (inner) => narrow(onlyMember(asOneOf(inner))));
}

function asOneOf(schema: JsonObject): JsonObject {
  const { anyOf, type, ...rest } = schema;
  if (Array.isArray(anyOf)) return { ...rest, oneOf: anyOf };
  if (!Array.isArray(type)) return schema;
  return { oneOf: type.map((one) => narrow({ ...rest, type: one })) };
}

/** `allOf` with one member, as schema generators write references, is that member. */
function onlyMember(schema: JsonObject): JsonObject {
  const { allOf, ...rest } = schema;
  const member = Array.isArray(allOf) && allOf.length === 1 ? allOf[0] : undefined;
  return isObject(member) ? { ...member, ...rest } : schema;
}

function narrow(schema: JsonObject): JsonObject {
  if (schema['enum'] !== undefined || schema['const'] !== undefined) return schema;
  const { type } = schema;
  if (type === 'string') return { ...schema, ...bounds(schema, 'Length', longestString) };
  if (type === 'array') return { ...schema, ...bounds(schema, 'Items', longestArray) };
  if (type === 'integer') return range(schema);
  // A grammar takes an object without named members for the empty one.
  return type === 'object' && schema['properties'] === undefined
    ? { ...schema, additionalProperties: true }
    : schema;
}

function bounds(schema: JsonObject, what: 'Length' | 'Items', longest: number): JsonObject {
  const least = Math.min(asNumber(schema[`min${what}`]) ?? 0, longest);
  const most = Math.min(asNumber(schema[`max${what}`]) ?? longest, longest);
  return { [`min${what}`]: least, [`max${what}`]: Math.max(least, most) };
}

function range(schema: JsonObject): JsonObject {
  const minimum = asNumber(schema['minimum']);
  const maximum = asNumber(schema['maximum']);
  if (minimum === undefined || maximum === undefined) return schema;
  const first = Math.ceil(minimum);
  const size = Math.floor(maximum) - first + 1;
  return size < 1 || size > widestRange
    ? schema
    : { enum: Array.from({ length: size }, (_, i) => first + i) };
}

function asNumber(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
