import { readOptions } from './human-fields.js';
import type { HumanKind } from './human-kind.js';

/** `Human.input`: a text, a number, or one of the options; with a `response_schema`, whatever fits it. */
export const input: HumanKind = {
  kind: 'input',
  type: 'hitl_input',
  read: (call, fields) => {
    const options = fields['options'] ?? null;
    const isEmpty = options === null || (Array.isArray(options) && options.length === 0);
    return {
      context: fields['context'] ?? null,
      options: isEmpty ? [] : readOptions(call, options),
      default: fields['default'] ?? fields['default_on_timeout'] ?? null,
    };
  },
};
