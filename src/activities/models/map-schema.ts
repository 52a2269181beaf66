import { isObject, setOwn, type JsonObject, type JsonValue } from '../../contract/json/json.js';

/** Keywords whose value is one schema, a list of schemas, or schemas by name. */
const single = [
  'items',
  'additionalProperties',
  'additionalItems',
  'contains',
  'not',
  'if',
  'then',
  'else',
  'propertyNames',
];
const lists = ['anyOf', 'oneOf', 'allOf', 'prefixItems', 'items'];
const named = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];

/** A copy of the JSON Schema with `change` applied to each schema in it, the innermost first, and to itself last. */
export function mapSchema(schema: JsonObject, change: (schema: JsonObject) => JsonObject): JsonObject {
  const inner = (value: JsonValue): JsonValue => (isObject(value) ? mapSchema(value, change) : value);
  const copy: JsonObject = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (Array.isArray(value) && lists.includes(keyword)) setOwn(copy, keyword, value.map(inner));
    else if (isObject(value) && single.includes(keyword)) setOwn(copy, keyword, inner(value));
    else if (isObject(value) && named.includes(keyword)) setOwn(copy, keyword, mapMembers(value, inner));
    else setOwn(copy, keyword, value);
  }
  return change(copy);
}

function mapMembers(members: JsonObject, change: (value: JsonValue) => JsonValue): JsonObject {
  const copy: JsonObject = {};
  for (const [name, member] of Object.entries(members)) setOwn(copy, name, change(member));
  return copy;
}
