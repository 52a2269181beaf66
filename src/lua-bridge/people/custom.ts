import { invalid } from './human-fields.js';
import type { HumanKind } from './human-kind.js';

/** `Human.custom`: a component of the author's own page, which gives whatever it likes. */
export const custom: HumanKind = {
  kind: 'input',
  type: 'hitl_custom',
  read: (call, fields) => {
    const { component_type: component = null, data = null, actions = null, context = null } = fields;
    if (typeof component !== 'string' || component === '')
      throw invalid(call, 'needs component_type: the name of what the page shows');
    return {
      context: {
        component_type: component,
        data,
        actions: actions ?? [],
        ...(context === null ? {} : { context }),
      },
      options: [],
      form: { type: 'any' },
      default: fields['default'] ?? fields['default_on_timeout'] ?? null,
    };
  },
};
