import { isObject, type JsonObject } from '../../contract/json/json.js';
import { mapSchema } from './map-schema.js';

/**
 * Whether OpenAI's strict mode takes the schema: each object in it closed, with all members required. Others are
 * refused there with status 400, so they go without the mode and are checked when the answer is here.
 */
export function isStrictSchema(schema: JsonObject): boolean {
  let isStrict = true;
  mapSchema(schema, (inner) => {
    const { properties, required, additionalProperties } = inner;
    if (inner['type'] !== 'object' && properties === undefined) return inner;
    const names = isObject(properties) ? Object.keys(properties) : [];
    const needed = Array.isArray(required) ? required : [];
    if (additionalProperties !== false || !names.every((name) => needed.includes(name))) isStrict = false;
    return inner;
  });
  return isStrict;
}
