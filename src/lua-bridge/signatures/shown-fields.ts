import { setOwn, type JsonObject } from '../../contract/json/json.js';
import { fieldSchema, type Fields } from '../values/schema.js';

/** Fields as Lua may look at them: `{question = {type = "string", required = true}}`. */
export function shownFields(fields: Fields): JsonObject {
  const shown: JsonObject = {};
  for (const [name, field] of Object.entries(fields))
    setOwn(shown, name, { ...fieldSchema(field), required: field.required });
  return shown;
}
