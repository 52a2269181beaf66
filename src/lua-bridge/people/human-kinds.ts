import { approve } from './approve.js';
import { invalid } from './human-fields.js';
import type { HumanKind } from './human-kind.js';
import { input } from './input.js';
import { multiple } from './multiple.js';
import { review } from './review.js';
import { select } from './select.js';
import { upload } from './upload.js';

const severities = ['info', 'warning', 'error', 'critical'];

/** `Human.escalate`: something a person has to see to; the procedure goes on when one says that it is settled. */
const escalate: HumanKind = {
  kind: 'escalation',
  type: 'hitl_escalation',
  read: (call, fields) => {
    const { context = null, severity = null } = fields;
    if (severity !== null && (typeof severity !== 'string' || !severities.includes(severity)))
      throw invalid(call, `needs a severity of ${severities.join(', ')}, got ${JSON.stringify(severity)}`);
    return {
      context: { severity: severity ?? 'error', ...(context === null ? {} : { context }) },
      options: [],
      default: fields['default'] ?? null,
    };
  },
};

/** `Human.custom`: a component of the author's own page, which gives whatever it likes. */
const custom: HumanKind = {
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

/** The functions of `Human` that ask and wait, by their names. */
export const humanKinds = {
  ...{ approve, input, review, select, multiple, upload, escalate, custom },
  // The reference's old name.
  inputs: multiple,
} satisfies Record<string, HumanKind>;
