import { setOwn, type JsonObject } from '../../contract/json/json.js';
import { fieldSchema, type Field, type Fields } from '../values/schema.js';

/**
 * The outputs as JSON Schema, in their order. Providers hold a model best to what has all its fields, so that one that
 * needn't be there is null.
 */
export function outputsSchema(outputs: Fields): JsonObject {
  const properties: JsonObject = {};
  for (const [name, field] of Object.entries(outputs)) setOwn(properties, name, outputSchema(field));
  return { type: 'object', properties, required: Object.keys(outputs), additionalProperties: false };
}

function outputSchema(field: Field): JsonObject {
  const schema = fieldSchema(field);
  const { type, enum: allowed } = schema;
  if (field.required || type === undefined) return schema;
  return {
    ...schema,
    type: [type, 'null'].flat(),
    ...(Array.isArray(allowed) ? { enum: [...allowed, null] } : {}),
  };
}
