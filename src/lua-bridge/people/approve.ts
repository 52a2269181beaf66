import { invalid, readOptions } from './human-fields.js';
import type { HumanKind } from './human-kind.js';

/** `Human.approve`: yes or no. */
export const approve: HumanKind = {
  kind: 'approval',
  type: 'hitl_approval',
  read: (call, fields) => {
    const given = fields['default'] ?? fields['default_on_timeout'] ?? null;
    if (given !== null && typeof given !== 'boolean')
      throw invalid(call, `needs true or false as default, got ${JSON.stringify(given)}`);
    const options = fields['options'] ?? null;
    return {
      context: fields['context'] ?? null,
      options: options === null ? [] : readOptions(call, options),
      default: given ?? false,
    };
  },
};
