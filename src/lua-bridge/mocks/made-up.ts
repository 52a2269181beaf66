import { setOwn, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import type { Field, Fields } from '../values/schema.js';

/** Data of the declared form, where a test gives none. Texts come from `text`, which is told the field's name. */
export function madeUp(fields: Fields, text: (name: string) => string): JsonObject {
  const result: JsonObject = {};
  for (const [name, field] of Object.entries(fields)) setOwn(result, name, madeUpField(name, field, text));
  return result;
}

/** The same for one field: its default or the first of what it allows, where it says that. */
export function madeUpField(name: string, field: Field, text: (name: string) => string): JsonValue {
  const { type, default: value, enum: allowed, items, properties } = field;
  if (value !== undefined) return value;
  if (allowed?.[0] !== undefined) return allowed[0];
  switch (type) {
    case 'string':
    case 'any':
      return text(name);
    case 'number':
    case 'integer':
      return 1;
    case 'boolean':
      return true;
    case 'array':
      return items === undefined ? [] : [madeUpField(name, items, text)];
    case 'object':
    case 'table':
      return properties === undefined ? {} : madeUp(properties, text);
  }
}
