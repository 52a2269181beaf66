import type { Holds } from '../../contract/engine.js';
import type { HumanForm, OptionValue } from '../../contract/people/human-request.js';
import type { JsonObject, JsonValue } from '../../contract/json/json.js';
import { invalid, readChoices, readCount } from './human-fields.js';
import type { HumanKind } from './human-kind.js';

/** `Human.select`: one of the options, or with `mode = "multiple"` a list of them. */
export const select: HumanKind = {
  kind: 'select',
  type: 'hitl_select',
  read: (call, fields, holds) => {
    const { options, form } = readSelectForm(call, fields, holds);
    const given = fields['default'] ?? fields['default_on_timeout'] ?? null;
    return {
      context: fields['context'] ?? null,
      options,
      form,
      default: given ?? (form.multiple ? [] : null),
    };
  },
};

/** Also of a question among several, which has these fields itself or in its `metadata`. */
export function readSelectForm(
  call: string,
  fields: JsonObject,
  holds: Holds,
): { options: OptionValue[]; form: Extract<HumanForm, { type: 'select' }> } {
  const choices = readChoices(call, fields['options'] ?? null);
  const multiple = isMultiple(call, fields['mode'] ?? null);
  const max = multiple ? readCount(call, 'max', fields['max'] ?? null) : null;
  // The reference wants at least one where nothing is said.
  const least = multiple ? (readCount(call, 'min', fields['min'] ?? null) ?? 1) : 1;
  // Where an answer is needed, to choose none is no answer.
  const min = fields['required'] === true && holds('needed-answers') ? Math.max(1, least) : least;
  if (min > choices.length || (max !== null && max < min))
    throw invalid(call, `wants ${min} to ${max ?? choices.length} of ${choices.length} options`);
  const { style = null } = fields;
  const form = { type: 'select', multiple, min, max, choices } as const;
  return {
    options: choices.map(({ value }) => value),
    form: { ...form, ...(typeof style === 'string' ? { style } : {}) },
  };
}

function isMultiple(call: string, mode: JsonValue): boolean {
  if (mode !== null && mode !== 'single' && mode !== 'multiple')
    throw invalid(call, `needs "single" or "multiple" as mode, got ${JSON.stringify(mode)}`);
  return mode === 'multiple';
}
