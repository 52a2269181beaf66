import type { JsonObject, JsonValue } from '../../contract/json/json.js';
import { readOptions } from './human-fields.js';
import type { HumanKind } from './human-kind.js';

/** `Human.review`: a decision on something that is shown, with feedback and perhaps a better version. */
export const review: HumanKind = {
  kind: 'review',
  type: 'hitl_review',
  read: (call, fields) => {
    const options = fields['options'] ?? null;
    return {
      context: contextOf(fields),
      options: options === null ? ['approve', 'reject', 'revise'] : readOptions(call, options),
      default: fields['default'] ?? fields['default_on_timeout'] ?? null,
    };
  },
};

function contextOf(fields: JsonObject): JsonValue {
  const context = fields['context'] ?? null;
  if (fields['artifact'] === undefined) return context;
  return {
    artifact: fields['artifact'],
    artifact_type: fields['artifact_type'] ?? null,
    ...(context === null ? {} : { context }),
  };
}
