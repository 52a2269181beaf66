import { z } from '@hono/zod-openapi';
import type { JsonObject, JsonValue } from '../../contract/json/json.js';
import { isJson } from '../../contract/json/read-json.js';

/** Any JSON that crosses into Lua: no deeper than that takes. */
export const jsonValue: z.ZodType<JsonValue> = z
  .any()
  .refine((value) => isJson(value), 'is missing, or nested too deep')
  .openapi({ description: 'Any JSON, nested up to 100 levels deep.' });

export const jsonObject = z
  .custom<JsonObject>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value) && isJson(value),
    'must be an object, nested up to 100 levels deep',
  )
  .openapi({ type: 'object', additionalProperties: true });
